/** The artifacts of a run: each is readable without the others. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { artifacts } from '../../../src/store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-artifacts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function invokeApproved(): Promise<{ readonly bench: Rig; readonly runId: string }> {
  const bench = rig({
    tools: {
      look: { execute: () => ({ total: 42 }) },
      pay: { approval_mode: 'destructive', gates: ['GATE_FINANCE'], side_effect: true, produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'pay', requires: ['GATE_FINANCE'], depends_on: ['a'] },
      ]),
    ],
  });
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
  return { bench, runId };
}

verifies(
  'record:artifacts:three-separate',
  'plan, transcripts, verdict, record, trace and memory proposals each load by id with the others removed',
  async () => {
    const { bench, runId } = await invokeApproved();
    const made = await bench.runtime.records.artifacts(runId);
    expect(made.map(({ kind }) => kind)).toEqual([
      'plan',
      'transcripts',
      'verdict',
      'decision_record',
      'run_trace',
      'memory_proposals',
    ]);
    const outcome = await bench.runtime.sessions.get(runId);
    for (const artifact of made) {
      const place = mkdtempSync(join(folder, 'each-'));
      const store = artifacts.inFolder(place);
      for (const { artifact_id, ...rest } of made) {
        await store.put(artifact_id, JSON.stringify({ artifact_id, ...rest }));
      }
      expect(readdirSync(place)).toHaveLength(made.length);
      const kept = `${artifact.artifact_id.replace(':', '-')}.json`;
      for (const file of readdirSync(place)) if (file !== kept) rmSync(join(place, file));
      const text = await artifacts.inFolder(place).get(artifact.artifact_id);
      expect(artifacts.read(text ?? '')).toEqual(artifact);
      const others = made.filter((other) => other !== artifact);
      for (const { artifact_id } of others) expect(await store.get(artifact_id)).toBeNull();
    }
    const body = (kind: string): unknown => made.find((artifact) => artifact.kind === kind)?.body;
    expect(body('verdict')).toEqual(outcome.verdict);
    expect(body('decision_record')).toEqual(outcome.record);
    expect(body('plan')).toMatchObject({ plan_id: 'plan_1', steps: [{ id: 'a' }, { id: 'b' }] });
    expect(body('transcripts')).toEqual(await bench.runtime.records.transcripts(runId));
    expect(body('run_trace')).toEqual(await bench.runtime.records.trace(runId));
    // Created again, they have the same content and ids.
    expect(await bench.runtime.records.artifacts(runId)).toEqual(made);
  },
);

test('rejects altered artifacts and artifacts of the wrong shape', async () => {
  const { bench, runId } = await invokeApproved();
  const [plan] = await bench.runtime.records.artifacts(runId);
  const text = JSON.stringify(plan);
  for (const altered of [text.replace('"look"', '"took"'), text.slice(1), '{}', text.replace('"plan"', '"verdict"')]) {
    expect(() => artifacts.read(altered)).toThrow(expect.objectContaining({ code: 'store_corrupt' }) as Error);
  }
  const store = artifacts.inFolder(join(folder, 'names'));
  await expect(store.get('../secret')).rejects.toMatchObject({ code: 'input_invalid' });
  writeFileSync(join(folder, 'secret.json'), '{}');
  await expect(store.put('../secret', 'x')).rejects.toMatchObject({ code: 'input_invalid' });
});
