/** Tests that a high-severity finding ends the run and escalates to security, and a low one pauses it for review. */
import { expect } from 'vitest';
import type { Detector } from '../../../src/critic/step/safety.ts';
import type { FindingSeverity } from '../../../src/model/critic/verdict.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type Rig, rig } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'terminate:unsafe-detection:fail-closed';

/** A run whose first step sends a value that a detector reports with this severity. */
function watched(severity: FindingSeverity): Rig {
  const exfiltration: Detector = {
    name: 'exfiltration',
    version: '1',
    detect: ({ args }) => ('secret' in args ? { severity, detail: 'a secret leaves the house' } : null),
  };
  return rig({
    tools: { send: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'send', params: { secret: 'x' } },
        { id: 'b', tool: 'finish' },
      ]),
    ],
    world: { policy: { detectors: [exfiltration] } },
  });
}

verifies(ID, 'high: ends the run, sends nothing more, and escalates to security', async () => {
  const bench = watched('high');
  const outcome = await bench.invoke();
  const events = await bench.events(outcome.runId);
  expect(outcome.terminalCode).toBe('UNSAFE_DETECTION');
  expect(eventsOf(events, 'run_terminated')).toMatchObject([
    { detail: { step_id: 'a', findings: ['exfiltration: a secret leaves the house'] } },
  ]);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['send']);
  expect(eventsOf(events, 'run_escalated')).toMatchObject([
    { escalation: { trigger: 'security_breach', severity: 'high', recipient: 'security', route: 'fail_closed' } },
  ]);
  expect(eventsOf(events, 'step_judged')).toMatchObject([{ findings: [{ kind: 'unsafe', severity: 'high' }] }]);
  expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
});

verifies(ID, 'low: pauses the run and records the finding', async () => {
  const bench = watched('low');
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'paused', terminalCode: null });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['send']);
  expect(eventsOf(await bench.events(outcome.runId), 'step_judged')).toMatchObject([
    { findings: [{ kind: 'unsafe', severity: 'low' }] },
  ]);
});
