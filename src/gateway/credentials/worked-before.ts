/** Which tool has been let in for which caller: only what worked before can have expired. */
export interface WorkedBefore {
  note(name: string): void;
  has(name: string): boolean;
  /** Turned down since, and not tried again: whoever calls next needs a renewed credential. */
  noteExpired(name: string): void;
  hasExpired(name: string): boolean;
}

/** The oldest are forgotten first; a caller that is forgotten is treated as one that was never let in. */
const KEPT_MAX = 10_000;

export function workedBefore(): WorkedBefore {
  const names = new Set<string>();
  const expired = new Set<string>();
  return {
    note: (name) => {
      expired.delete(name);
      keepNewest(names, name);
    },
    has: (name) => names.has(name),
    noteExpired: (name) => keepNewest(expired, name),
    // Asked before every call, and hardly ever of anything: a name that nobody looks up need not be put together.
    hasExpired: (name) => expired.size > 0 && expired.has(name),
  };
}

function keepNewest(names: Set<string>, name: string): void {
  names.delete(name);
  names.add(name);
  const [oldest] = names;
  if (names.size > KEPT_MAX && oldest !== undefined) names.delete(oldest);
}
