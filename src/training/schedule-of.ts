import type { Protocol } from '../manifests/protocol-manifest.js';
import type { Schedule } from './schedules.js';

/** The protocol's learning-rate schedule. */
export function scheduleOf({ schedule, milestones, gamma, warmUp }: Protocol): Schedule {
  const main = mainOf({ schedule, milestones, gamma });
  if (warmUp === 0) return main;
  return { name: 'linear-warm-up', length: { share: warmUp }, startFactor: 0, then: main };
}

function mainOf({
  schedule,
  milestones,
  gamma,
}: Pick<Protocol, 'schedule' | 'milestones' | 'gamma'>): Schedule {
  switch (schedule) {
    case 'constant':
    case 'cosine':
      return { name: schedule };
    case 'multi-step':
      return { name: schedule, gamma, milestones: milestones.map((share) => ({ share })) };
  }
}
