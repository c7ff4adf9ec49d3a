import { Fault } from '../../../model/fault/fault.ts';

/** A position in the journal of a run: frame and event, such as `12.3`. */
const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

export function assertCursor(value: unknown): asserts value is string {
  if (typeof value === 'string' && CURSOR.test(value)) return;
  throw new Fault('input_invalid', 'after must be the cursor of an earlier event', { path: '/after' });
}

/** Returns whether the event at a cursor comes after another one of the same run. */
export function isAfter(cursor: string, other: string): boolean {
  const [frame = 0, index = 0] = cursor.split('.').map(Number);
  const [otherFrame = 0, otherIndex = 0] = other.split('.').map(Number);
  return frame === otherFrame ? index > otherIndex : frame > otherFrame;
}
