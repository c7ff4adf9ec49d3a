/** The only source of time outside a test. Milliseconds since the epoch. */
export interface Clock {
  nowMs(): number;
}
