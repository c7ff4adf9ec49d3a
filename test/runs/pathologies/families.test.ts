/** All that is known to go wrong: described, shown by the marks that the kernel itself leaves, and absent where nothing is wrong. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { diagnose } from '../../../src/record/pathologies/diagnose.ts';
import { PATHOLOGIES, PATHOLOGY_FAMILIES } from '../../../src/record/pathologies/families.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, rig } from '../rig.ts';
import { CLEAN, FIXTURES } from './fixtures.ts';

const ID = 'pathology:registry:twenty-three-families-described';

const shown = (looked: Parameters<typeof diagnose>[0]) => diagnose(looked).map(({ family }) => family);

verifies(ID, 'twenty-three families, each with five fields of its own', () => {
  expect(new Set(PATHOLOGY_FAMILIES).size).toBe(23);
  expect(Object.keys(PATHOLOGIES)).toEqual([...PATHOLOGY_FAMILIES]);
  for (const described of Object.values(PATHOLOGIES)) {
    expect(Object.keys(described)).toEqual(['symptom', 'cause', 'indicator', 'containment', 'remedy']);
    for (const field of Object.values(described)) expect(field).toMatch(/\S.{10,}/);
  }
  expect(new Set(Object.values(PATHOLOGIES).flatMap((described) => Object.values(described))).size).toBe(115);
});

for (const [family, looked] of Object.entries(FIXTURES)) {
  verifies(ID, `${family} is shown by its own detector`, async () => {
    expect(shown(await looked())).toContain(family);
  });
}

verifies(ID, 'a run in which nothing goes wrong shows none', async () => {
  const bench = rig(CLEAN);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(await bench.runtime.diagnose(runId)).toEqual([]);
});

test('a run that waited for a person and was approved shows none; one that waits in a full queue shows that', async () => {
  const pay = { approval_mode: 'destructive', side_effect: true, gates: ['GATE'], produces: ['done'] } as const;
  const plan = planOf([{ id: 'a', tool: 'pay', requires: ['GATE'] }]);
  const bench = rig({ tools: { pay }, plans: [plan] });
  const { runId, pending } = await bench.invoke();
  const crowded = { capacity: { waitingMax: 0, ageMaxMs: 60_000 } };
  expect((await bench.runtime.diagnose(runId, crowded)).map(({ family }) => family)).toEqual(['queue_saturation']);
  const [gate] = pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
  await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
  expect(await bench.runtime.diagnose(runId, crowded)).toEqual([]);
});

test('the guide says of each what the table says', () => {
  const guide = readFileSync(new URL('../../../docs/guides/pathologies.md', import.meta.url), 'utf8');
  for (const family of PATHOLOGY_FAMILIES) {
    const { indicator, containment } = PATHOLOGIES[family];
    expect(guide).toContain(`| \`${family}\` | ${indicator} | ${containment} |`);
  }
});
