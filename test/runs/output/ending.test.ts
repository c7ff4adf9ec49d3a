/** When a run shows its output: never before the answer is released, and not after another version of its schema. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AmbitOptions, agent, ambit } from '../../../src/index.ts';
import { scriptedPlanner } from '../../../src/testing/index.ts';
import { declaration, from, plan, QUESTION } from './bench.ts';

const OPERATOR = { kind: 'local_operator', name: 'olga', roles: ['compliance', 'operator'] } as const;
const ASK = { message: QUESTION, user: { name: 'ada', tenant: 'shop' } } as const;
const BOUND = { plan: from('account', '/plan') };

type Settings = Omit<AmbitOptions, 'agent' | 'tools' | 'planner' | 'decisions'>;

/** A runtime whose run waits for a compliance reviewer when its work is done. */
function regulated(output: z.ZodType, settings: Settings = {}) {
  const declared = declaration(scriptedPlanner([plan(['account'], BOUND)]));
  const intents = declared.intents.map((intent) => ({ ...intent, regulated: true }));
  const tools = declared.tools.filter(({ spec }) => spec.privacy === undefined);
  return ambit({ agent: agent({ ...declared, tools, intents, output }), ...settings });
}

test('a withheld answer withholds the output, until the reviewer releases it', async () => {
  const runtime = regulated(z.object({ plan: z.string() }));
  const waiting = await runtime.invoke(ASK);
  expect(waiting).toMatchObject({ status: 'paused', output: null, outputEvidence: {} });
  const released = await runtime.sessions.decideEscalation(waiting.runId, {
    decision: 'finalize',
    packetHash: waiting.handoverHash ?? '',
    reason: 'checked',
    credential: OPERATOR,
  });
  expect(released).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro' } });
});

test('a run does not go on with another output schema than it began with', async () => {
  const store = `sqlite:${join(mkdtempSync(join(tmpdir(), 'ambit-output-')), 'runs.db')}` as const;
  const before = regulated(z.object({ plan: z.string() }), { store });
  const { runId } = await before.invoke(ASK);
  await before.close();
  const after = regulated(z.object({ plan: z.string().max(2) }), { store });
  await expect(after.resume(runId)).rejects.toThrow('output schema');
  const { state } = await after.records.replay(runId);
  expect(state.ending.output?.bound?.value).toEqual({ plan: 'Pro' });
  await after.close();
});
