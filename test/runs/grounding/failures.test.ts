/** A failure is recorded with its exact outcome and never reported as a success. */
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { Json } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type Behaviour, neverAnswers, planOf, rig } from '../rig.ts';
import { eventsOfType, firstEvent } from './recorded-events.ts';

const failures: readonly (readonly [outcome: string, execute: Behaviour])[] = [
  ['denied', () => Promise.reject(new Fault('permission_denied', '403 Forbidden'))],
  ['timeout', neverAnswers],
  ['empty', () => undefined],
  ['malformed', () => ({ parse: () => 'not data' }) as unknown as Json],
];

for (const [outcome, execute] of failures) {
  verifies('grounding:failure:recorded-exactly', `${outcome} is observed as ${outcome}`, async () => {
    const bench = rig({
      tools: { read: { retries_max: 0, execute }, finish: { produces: ['done'] } },
      plans: [planOf([{ id: 'a', tool: 'read' }]), planOf([{ id: 'b', tool: 'finish' }], { plan_id: 'plan_2' })],
    });
    const done = await bench.invoke();
    expect(done.terminalCode).toBe('SUCCESS');
    const events = await bench.events(done.runId);
    expect(firstEvent(events, 'step_observed')).toMatchObject({ outcome, raw: null });
    expect(firstEvent(events, 'step_verified')).toMatchObject({ ok: false, confirmed: [] });
    expect(eventsOfType(events, 'step_committed').map(({ call_id }) => call_id)).toEqual(['call_2']);
    const reason = bench.planner.requests[1]?.reason;
    expect(reason).toMatchObject({ code: outcome, step_id: 'a', detail: { outcome, tool: 'read' } });
    expect(JSON.stringify(bench.planner.requests[1])).not.toMatch(/success/i);
  });
}
