/** One process of the stop test: it dies inside a call (`invoke`), or serves until SIGTERM while the call never ends. */
import { writeSync } from 'node:fs';
import { ambit } from '../../../src/compose.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, planOf, REQUEST, toolSpec } from '../rig.ts';

const [folder = '', what = 'invoke'] = process.argv.slice(2);
const runtime = ambit({
  agent: agentFor(['work']),
  tools: [
    {
      spec: toolSpec('work', { timeout_ms: 3_600_000, produces: ['done'] }),
      execute: () => {
        if (what === 'invoke') process.kill(process.pid, 'SIGKILL');
        writeSync(1, 'driving\n');
        return new Promise<never>(() => undefined);
      },
    },
  ],
  planner: scriptedPlanner([planOf([{ id: 's1', tool: 'work' }])]),
  store: `sqlite:${folder}/run.db`,
});
if (what === 'invoke') await runtime.invoke(REQUEST);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const end = await runtime.serve({ signal: stop.signal, stopWithinMs: 100 }).catch((error: unknown) => error);
writeSync(1, Fault.is(end) ? `${end.code}: ${end.message}\n` : 'it ended\n');
await runtime.close();
process.exit(0);
