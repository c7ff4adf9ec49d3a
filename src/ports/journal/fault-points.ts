/** Named points in a journal at which a test can make the store fail. */
export const FAULT_POINTS = ['before_commit', 'after_commit'] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Called at each fault point. An error it throws counts as a failure of the store at that point. */
export type FaultPoints = (point: FaultPoint) => void;
