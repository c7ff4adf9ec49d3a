/** Tests that every call leaves a transcript of its request and its result. */
import { expect } from 'vitest';
import { Handoff } from '../../../src/model/gate/handoff.ts';
import { Transcript } from '../../../src/model/record/transcript.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, rig, START_MS } from '../rig.ts';

const STEPS = [
  { id: 's1', tool: 'one', params: { n: 1 } },
  { id: 's2', tool: 'two', params: { from: { $from: 's1', path: '/text' } }, depends_on: ['s1'] },
  { id: 's3', tool: 'three', depends_on: ['s2'] },
];

verifies('execute:transcript:one-per-step', 'three steps leave three complete transcripts', async () => {
  const bench = rig({
    tools: {
      one: { execute: () => ({ text: 'hello' }) },
      two: { execute: () => ({ text: 'again' }) },
      three: { produces: ['done'] },
    },
    plans: [planOf(STEPS)],
  });
  const { runId } = await bench.invoke();
  const transcripts = await bench.runtime.records.transcripts(runId);
  for (const transcript of transcripts) expect(Transcript.parse(transcript)).toEqual(transcript);
  expect(new Set(transcripts.map(({ transcript_id }) => transcript_id)).size).toBe(3);
  expect(transcripts).toMatchObject([
    { step_id: 's1', call: { tool: 'one', args: { n: 1 } }, result: { outcome: 'ok', raw: { text: 'hello' } } },
    { step_id: 's2', call: { tool: 'two', args: { from: 'hello' } }, result: { raw: { text: 'again' } } },
    { step_id: 's3', call: { tool: 'three', args: {} }, result: { raw: { ok: true } } },
  ]);
  expect(transcripts[1]).toMatchObject({ run_id: runId, plan_id: 'plan_1', sent_at: START_MS, received_at: START_MS });
  expect(bench.dispatches.map(({ key }) => key)).toEqual(transcripts.map(({ call }) => call.idempotency_key));
});

verifies(
  'execute:handoff:full-bundle',
  'the handoff of an escalated run contains plan, transcripts and verdict',
  async () => {
    const plan = planOf(STEPS);
    const bench = rig({
      tools: {
        one: { execute: () => ({ text: 'hello' }) },
        two: {
          retries_max: 0,
          execute: () => {
            throw new Error('down');
          },
        },
        three: { produces: ['done'] },
      },
      plans: [plan],
      caps: { ...CAPS, replan_attempts_max: 0 },
    });
    const { runId, verdict, authority } = await bench.invoke();
    const handoff = await bench.runtime.records.handoff(runId);
    expect(Handoff.parse(handoff)).toEqual(handoff);
    expect(handoff).toMatchObject({
      run_id: runId,
      escalation: { recipient: authority, step_id: 's2' },
      plan,
      verdict,
    });
    expect(verdict?.verdict).toBe('escalate');
    expect(handoff?.transcripts.map(({ step_id, result }) => [step_id, result.outcome])).toEqual([
      ['s1', 'ok'],
      ['s2', 'error'],
    ]);
  },
);

verifies('execute:handoff:full-bundle', 'a run without an escalation has no handoff', async () => {
  const bench = rig({ tools: { three: { produces: ['done'] } }, plans: [planOf([{ id: 's3', tool: 'three' }])] });
  const { runId } = await bench.invoke();
  expect(await bench.runtime.records.handoff(runId)).toBeNull();
});
