/** Tests that invalid answers of a tool are recorded and end the run as VALIDATION_FAIL after two repairs. */
import { expect } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { decide } from '../reactive/bench.ts';
import { DONE, eventsIn, reads, work, worker } from './cause-bench.ts';

const ID = 'terminate:validation-fail:after-allowed-repairs';

const ANSWERS: readonly (readonly [kind: string, answer: Json])[] = [
  ['malformed', { ok: 'yes' }],
  ['empty', null],
];

for (const [kind, answer] of ANSWERS) {
  const invalid = () => reads('main', 'done', () => answer);

  verifies(ID, `a plan-first run: each ${kind} answer is an observation, and the last repair fails`, async () => {
    const runtime = worker({ tools: [invalid()], steps: [{ id: 'a', tool: 'main' }], criteria: [DONE] });
    const run = await work(runtime);
    expect(run).toMatchObject({ status: 'paused', authority: 'review_queue', suspended: { code: 'VALIDATION_FAIL' } });
    expect(run.why.join(' ')).toContain('main');
    const events = await eventsIn(runtime, run.runId);
    const observed = eventsOf(events, 'step_observed');
    expect(observed.map(({ outcome }) => outcome)).toEqual([kind, kind]);
    expect(eventsOf(events, 'plan_proposed')).toHaveLength(3);
    expect(eventsOf(events, 'run_escalated')).toMatchObject([{ escalation: { trigger: 'validation_failed' } }]);
  });

  verifies(ID, `a reactive run: after two repairs of a ${kind} answer it is handed over`, async () => {
    const turns = Array.from({ length: 6 }, (_, n) => decide('main', { n }));
    const runtime = worker({ tools: [invalid()], turns, criteria: [DONE] });
    const run = await work(runtime);
    expect(run).toMatchObject({ status: 'paused', authority: 'review_queue', suspended: { code: 'VALIDATION_FAIL' } });
    const events = await eventsIn(runtime, run.runId);
    expect(eventsOf(events, 'step_observed').map(({ outcome }) => outcome)).toEqual([kind, kind, kind]);
  });
}
