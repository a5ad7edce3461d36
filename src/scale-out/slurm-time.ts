const FORMS = [
  /^(?<minutes>\d+)$/,
  /^(?<minutes>\d+):(?<seconds>\d\d)$/,
  /^(?<hours>\d+):(?<minutes>\d\d):(?<seconds>\d\d)$/,
  /^(?<days>\d+)-(?<hours>\d+)$/,
  /^(?<days>\d+)-(?<hours>\d+):(?<minutes>\d\d)$/,
  /^(?<days>\d+)-(?<hours>\d+):(?<minutes>\d\d):(?<seconds>\d\d)$/,
];

/**
 * Minutes of a time as Slurm takes and writes it: `90`, `90:00`, `1:30:00`, `1-12`, `1-12:30`, `1-12:30:00`; Infinity for
 * `UNLIMITED`.
 * @returns undefined for any other text
 */
export function parseSlurmTime(text: string): number | undefined {
  if (text === 'UNLIMITED' || text === 'INFINITE') return Infinity;
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (!parts) continue;
    const { days = 0, hours = 0, minutes = 0, seconds = 0 } = parts;
    return Number(days) * 1440 + Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
  }
  return undefined;
}

/** `0-01:30:00`. @param minutes whole ones count, rounded up */
export function slurmTime(minutes: number): string {
  const whole = Math.ceil(minutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(whole / 1440)}-${two(Math.floor((whole % 1440) / 60))}:${two(whole % 60)}:00`;
}
