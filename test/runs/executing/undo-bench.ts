/** Parts of tests about compensations: a tool that changes something, and the cancellation that undoes it. */
import type { EventBody } from '../../../src/model/events/event.ts';
import type { RigTool } from '../rig.ts';

export const CANCEL: EventBody = { type: 'run_cancelled', by: 'ben', reason: 'not wanted any more' };

export const acts = (changes: RigTool = {}): RigTool => ({
  side_effect: true,
  approval_mode: 'local_write',
  idempotency: { kind: 'key', retention_ms: 600_000 },
  retries_max: 0,
  ...changes,
});
