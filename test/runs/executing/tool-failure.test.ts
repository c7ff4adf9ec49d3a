/** Tests that a tool that keeps failing without a fallback escalates to a person. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, neverAnswers, planOf, rig } from '../rig.ts';

const FAILURES = {
  errors: () => {
    throw new Error('down');
  },
  silence: neverAnswers,
};

for (const [how, execute] of Object.entries(FAILURES)) {
  verifies('execute:fallback:degrades-to-human', `${how} on every attempt: escalates the run`, async () => {
    const bench = rig({
      tools: { read: {}, post: { execute, retries_max: 2 } },
      plans: [
        planOf([
          { id: 's1', tool: 'read' },
          { id: 's2', tool: 'post', depends_on: ['s1'] },
        ]),
      ],
      caps: { ...CAPS, replan_attempts_max: 0 },
    });
    const outcome = await bench.invoke();
    expect(bench.dispatches.filter(({ tool }) => tool === 'post')).toHaveLength(3);
    expect(outcome).toMatchObject({
      status: 'paused',
      terminalCode: null,
      authority: 'operator',
      verdict: { verdict: 'escalate' },
    });
    const handover = (await bench.events(outcome.runId)).find((event) => event.type === 'run_escalated');
    expect(handover).toMatchObject({
      escalation: { recipient: 'operator', step_id: 's2', trigger: 'repeated_failure' },
      stop: { code: 'REPEATED_FAILURE', detail: { step_id: 's2', message: expect.any(String) } },
    });
  });
}
