/** When a run shows its output: never before the answer is released, and with the schema that it began with. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Ambit, type AmbitOptions, agent, ambit, type RunOutcome } from '../../../src/index.ts';
import { scriptedPlanner } from '../../../src/testing/index.ts';
import { declaration, from, plan, QUESTION } from './bench.ts';

const OPERATOR = { kind: 'local_operator', name: 'olga', roles: ['compliance', 'operator'] } as const;
const ASK = { message: QUESTION, user: { name: 'ada', tenant: 'shop' } } as const;
const BOUND = { plan: from('account', '/plan') };

type Settings = Omit<AmbitOptions, 'agent' | 'tools' | 'planner' | 'decisions'>;

/** A runtime whose run waits for a compliance reviewer when its work is done. */
function regulated(output: z.ZodType, settings: Settings = {}): Ambit {
  const declared = declaration(scriptedPlanner([plan(['account'], BOUND)]));
  const intents = (declared.intents ?? []).map((intent) => ({ ...intent, regulated: true }));
  const tools = declared.tools.filter(({ spec }) => spec.privacy === undefined);
  return ambit({ agent: agent({ ...declared, tools, intents, output }), ...settings });
}

const release = (runtime: Ambit, { runId, handoverHash }: RunOutcome): Promise<RunOutcome> =>
  runtime.sessions.decideEscalation(runId, {
    decision: 'finalize',
    packetHash: handoverHash ?? '',
    reason: 'checked',
    credential: OPERATOR,
  });

test('a withheld answer withholds the output, until the reviewer releases it', async () => {
  const runtime = regulated(z.object({ plan: z.string() }));
  const waiting = await runtime.invoke(ASK);
  expect(waiting).toMatchObject({ status: 'paused', output: null, outputEvidence: {} });
  const released = await release(runtime, waiting);
  expect(released).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro' } });
});

test('a run keeps the output schema that it began with', async () => {
  const store = `sqlite:${join(mkdtempSync(join(tmpdir(), 'ambit-output-')), 'runs.db')}` as const;
  const before = regulated(z.object({ plan: z.string() }), { store });
  const waiting = await before.invoke(ASK);
  await before.close();
  const after = regulated(z.object({ plan: z.string().max(2) }), { store });
  const released = await release(after, waiting);
  expect(released).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro' } });
  const { state } = await after.records.replay(waiting.runId);
  expect(state.ending.output?.bound?.value).toEqual({ plan: 'Pro' });
  await after.close();
});
