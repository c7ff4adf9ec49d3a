/** Every run ends by sealing its trace. */
import { expect } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { GATED } from '../boundary/waiting.ts';
import { fold, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const PLAIN: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};
const FAILING: RigOptions = { ...PLAIN, plans: ['no', 'not', 'never'], options: { limits: { onEscalate: 'end' } } };
const cancel: EventBody = { type: 'run_cancelled', by: 'user_1', reason: 'enough' };

for (const [what, options, code] of [
  ['complete', PLAIN, 'SUCCESS'],
  ['fail', FAILING, 'VALIDATION_FAIL'],
  ['cancel', GATED, 'USER_CANCEL'],
] as const) {
  verifies(
    'intake:trace-phase:memory-then-sealed-trace',
    `${what}: archives and seals the trace, and accepts nothing after it`,
    async () => {
      const bench = rig(options);
      await bench.invoke();
      if (what === 'cancel') await bench.runtime.sessions.send('run_1', cancel);
      const events = await bench.events('run_1');
      const last = events.at(-1);
      if (last?.type !== 'run_terminated') throw new Error('not ended');
      expect(last.code).toBe(code);
      expect(JSON.parse(await bench.journal.blob(last.record as `sha256:${string}`))).toMatchObject({
        terminal_code: code,
      });
      const phases = await bench.runtime.records.phases('run_1');
      expect(phases.at(-1)).toMatchObject({ phase: 'trace_logging', artifact: 'trace_archive' });
      const names = phases.map(({ phase }) => phase);
      if (code === 'SUCCESS') {
        expect(names.slice(-3)).toEqual(['final_response', 'memory_write', 'trace_logging']);
      } else {
        expect(names).not.toContain('memory_write');
      }
      const env = kernelOf(options);
      const state = fold(env, events).at(-1);
      if (state === undefined) throw new Error('the run has no states');
      for (const event of events) expect(offer(env, state, event)[2]?.code).toBe('session_terminal');
      await expect(bench.runtime.sessions.send('run_1', cancel)).rejects.toMatchObject({ code: 'session_terminal' });
      expect(await bench.events('run_1')).toEqual(events);
    },
  );
}
