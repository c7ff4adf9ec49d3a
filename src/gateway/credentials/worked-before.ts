/** Which tool has been let in for which caller: only what worked before can have expired. */
export interface WorkedBefore {
  note(name: string): void;
  has(name: string): boolean;
}

/** The oldest are forgotten first; a caller that is forgotten is treated as one that was never let in. */
const KEPT_MAX = 10_000;

export function workedBefore(): WorkedBefore {
  const names = new Set<string>();
  return {
    note: (name) => {
      names.delete(name);
      names.add(name);
      const [oldest] = names;
      if (names.size > KEPT_MAX && oldest !== undefined) names.delete(oldest);
    },
    has: (name) => names.has(name),
  };
}
