/** Invalid events: any shape, any type, any time. */
import fc from 'fast-check';
import { HANDLERS } from '../../src/kernel/machine/handler-table.ts';
import type { RunEvent } from '../../src/model/events/event.ts';

const types: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...Object.keys(HANDLERS)) },
  { weight: 1, arbitrary: fc.constantFrom('constructor', '__proto__', 'toString', '') },
  { weight: 1, arbitrary: fc.anything() },
);

const fields: fc.Arbitrary<object> = fc.dictionary(
  fc.constantFrom(
    ...['call_id', 'step_id', 'outcome', 'raw', 'spent', 'ok', 'confirmed', 'problems', 'version', 'validator'],
    ...['scores', 'findings', 'unmet', 'criteria', 'verdict', 'plan_hash', 'plan', 'proposal', 'author', 'goal'],
    ...['args', 'args_hash', 'gates', 'mode', 'gate_id', 'packet_hash', 'decision', 'approver', 'answers', 'stop'],
    ...['question_id', 'escalation', 'delta', 'by', 'reason', 'claims', 'proposals', 'status', 'code', 'detail'],
    ...['token', 'manifest', 'caps', 'evidence', 'identity', 'missing', 'layer', 'tokens', 'lost', 'to', 'kind'],
  ),
  fc.oneof(fc.anything({ maxDepth: 2 }), fc.constantFrom('call_1', 's1', 'ok', 'all', 'approve', 'ana', 1, true, [])),
);

/** `now` is the time of the state: the event's time is before, at or after it, or no time at all. */
export function junkAt(now: number): fc.Arbitrary<RunEvent> {
  const at = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 }).map((later) => now + later) },
    { weight: 1, arbitrary: fc.constantFrom(now - 1, Number.NaN, Number.POSITIVE_INFINITY, -0, 0.5, '9'.repeat(16)) },
    { weight: 1, arbitrary: fc.anything({ maxDepth: 1 }) },
  );
  const shaped = fc.tuple(fields, types, at).map(([body, type, time]) => ({ ...body, type, at: time }));
  const any = fc.oneof({ weight: 20, arbitrary: shaped }, { weight: 1, arbitrary: fc.anything() });
  return any.map((event) => event as RunEvent);
}
