/** Which tool has worked for which caller. Only a credential that worked before can have expired. */
export interface CredentialHistory {
  note(name: string): void;
  has(name: string): boolean;
  /** Records a rejection that was not retried, so that the next call gets a renewed credential. */
  noteExpired(name: string): void;
  hasExpired(name: string): boolean;
}

/** The oldest entries are dropped first; a dropped caller counts as one that never worked. */
const KEPT_MAX = 10_000;

export function createCredentialHistory(): CredentialHistory {
  const names = new Set<string>();
  const expired = new Set<string>();
  return {
    note: (name) => {
      expired.delete(name);
      keepNewest(names, name);
    },
    has: (name) => names.has(name),
    noteExpired: (name) => keepNewest(expired, name),
    // Fast path: this runs before every call, and the set is almost always empty.
    hasExpired: (name) => expired.size > 0 && expired.has(name),
  };
}

function keepNewest(names: Set<string>, name: string): void {
  names.delete(name);
  names.add(name);
  const [oldest] = names;
  if (names.size > KEPT_MAX && oldest !== undefined) names.delete(oldest);
}
