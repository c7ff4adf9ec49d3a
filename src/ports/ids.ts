/** The only source of fresh names. `prefix` says what the name is for: `run`, `gate`, `ck`. */
export interface Ids {
  next(prefix: string): string;
}
