/** Named places in a journal where a test can make the store fail. */
export const FAULT_POINTS = ['before_commit', 'after_commit'] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Called when a place is reached; whatever it throws happens there. */
export type FaultPoints = (point: FaultPoint) => void;
