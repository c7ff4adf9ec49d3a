/** Tests that a run over its calls per minute is stopped, and other runs are not. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const burst = (count: number): ReturnType<typeof planOf> =>
  planOf([
    ...Array.from({ length: count }, (_, n) => ({ id: `s${n}`, tool: 'ask', params: { n } })),
    { id: 'last', tool: 'finish', depends_on: [`s${count - 1}`] },
  ]);

verifies(
  'pathology:tool-spam:rate-per-run-and-minute',
  'blocks the call over the threshold, and leaves other runs alone',
  async () => {
    const bench = rig({
      tools: { ask: {}, finish: { produces: ['done'] } },
      options: { limits: { callsPerMinuteMax: 3 } },
      plans: [burst(5), burst(2)],
    });
    const spamming = await bench.invoke();
    expect(spamming.status).toBe('paused');
    expect(bench.dispatches).toHaveLength(3);
    expect(spamming.why).toEqual([
      'the run made 4 tool calls within a minute; the limit is 3: limits.callsPerMinuteMax of ambit()',
    ]);
    expect((await bench.events(spamming.runId)).at(-1)).toMatchObject({
      type: 'run_escalated',
      stop: { code: 'REPEATED_FAILURE', reason: 'loop_detected', detail: { kind: 'tool_spam', count: 4, limit: 3 } },
    });
    await bench.runtime.records.replay(spamming.runId);

    const other = await bench.invoke();
    expect(other.terminalCode).toBe('SUCCESS');
  },
);
