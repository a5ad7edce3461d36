const SEVERITIES = 'IWEF';
/** Lines of TensorFlow's log: severity, month and day, time, thread, file and line. The first one comes once a process. */
const LINE =
  /^(?:WARNING: All log messages before absl::InitializeLog\(\) is called are written to STDERR|([IWEF])\d{4} \d\d:\d\d:\d+\.\d+ +\d+ [\w./-]+:\d+\] .*)\r?\n/gm;

/**
 * Text of the error stream without the lines that `TF_CPP_MIN_LOG_LEVEL` asks TensorFlow to leave out (0 none, 1 information,
 * 2 warnings, 3 errors). TensorFlow 2.21 prints some of them all the same, and in a notebook they stand in red.
 */
export function withoutQuietLog(text: string, level: string | undefined): string {
  const least = Number(level ?? 0);
  if (!(least > 0)) return text;
  return text.replace(LINE, (line, severity: string | undefined) =>
    severity !== undefined && SEVERITIES.indexOf(severity) >= least ? line : '',
  );
}
