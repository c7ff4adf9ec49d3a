/** A failure is recorded as the failure it was, and told to nobody as a success. */
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault.ts';
import type { Json } from '../../../src/model/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type Behaviour, planOf, rig, silent } from '../rig.ts';
import { all, first } from './eyes.ts';

const ways: readonly (readonly [outcome: string, execute: Behaviour])[] = [
  ['denied', () => Promise.reject(new Fault('permission_denied', '403 Forbidden'))],
  ['timeout', silent],
  ['empty', () => undefined],
  ['malformed', () => ({ parse: () => 'not data' }) as unknown as Json],
];

for (const [outcome, execute] of ways) {
  verifies('grounding:failure:recorded-exactly', `${outcome} is observed as ${outcome}`, async () => {
    const bench = rig({
      tools: { read: { retries_max: 0, execute }, finish: { produces: ['done'] } },
      plans: [planOf([{ id: 'a', tool: 'read' }]), planOf([{ id: 'b', tool: 'finish' }], { plan_id: 'plan_2' })],
    });
    const done = await bench.invoke();
    expect(done.terminalCode).toBe('SUCCESS');
    const events = await bench.events(done.runId);
    expect(first(events, 'step_observed')).toMatchObject({ outcome, raw: null });
    expect(first(events, 'step_verified')).toMatchObject({ ok: false, confirmed: [] });
    expect(all(events, 'step_committed').map(({ call_id }) => call_id)).toEqual(['call_2']);
    const told = bench.planner.requests[1]?.reason;
    expect(told).toMatchObject({ code: outcome, step_id: 'a', detail: { outcome, tool: 'read' } });
    expect(JSON.stringify(bench.planner.requests[1])).not.toMatch(/success/i);
  });
}
