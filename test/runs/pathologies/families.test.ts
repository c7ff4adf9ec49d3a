/** Every pathology family is described, detected in the events of its fixture, and absent from a clean run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { diagnose } from '../../../src/record/pathologies/diagnose.ts';
import { PATHOLOGIES, PATHOLOGY_FAMILIES } from '../../../src/record/pathologies/families.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type RigOptions, type RigTool, rig } from '../rig.ts';
import { CLEAN, FIXTURES } from './fixtures.ts';

const ID = 'pathology:registry:twenty-three-families-described';

const familiesIn = (looked: Parameters<typeof diagnose>[0]) => diagnose(looked).map(({ family }) => family);

verifies(ID, 'describes twenty-three families with five distinct fields each', () => {
  expect(new Set(PATHOLOGY_FAMILIES).size).toBe(23);
  expect(Object.keys(PATHOLOGIES)).toEqual([...PATHOLOGY_FAMILIES]);
  for (const described of Object.values(PATHOLOGIES)) {
    expect(Object.keys(described)).toEqual(['symptom', 'cause', 'indicator', 'containment', 'remedy']);
    for (const field of Object.values(described)) expect(field).toMatch(/\S.{10,}/);
  }
  expect(new Set(Object.values(PATHOLOGIES).flatMap((described) => Object.values(described))).size).toBe(115);
});

for (const [family, looked] of Object.entries(FIXTURES)) {
  verifies(ID, `detects ${family}`, async () => {
    expect(familiesIn(await looked())).toContain(family);
  });
}

verifies(ID, 'finds nothing in a clean run', async () => {
  const bench = rig(CLEAN);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(await bench.runtime.records.diagnose(runId)).toEqual([]);
});

const failingLookup = (execute: NonNullable<RigTool['execute']>): RigOptions => ({
  tools: {
    look: { produces: ['done'], retries_max: 2, execute, output_schema: { type: 'object', required: ['found'] } },
  },
  plans: [1, 2, 3].map((n) => planOf([{ id: `look_${n}`, tool: 'look' }], { plan_id: `plan_${n}` })),
  options: { limits: { onEscalate: 'end' } },
});

test.each([
  ['throw', 'no', () => Promise.reject(new Error('there is no such permit'))],
  ['do not fit their schema', 'a', () => Promise.resolve({})],
  ['return nothing', 'a', () => Promise.resolve(undefined as never)],
] as const)('calls that %s are %s storm of validations', async (_name, found, execute) => {
  const bench = rig(failingLookup(execute));
  const { runId, reason } = await bench.invoke();
  expect(reason).toMatch(/^re(?:plan|try)_budget_exhausted$/);
  const families = (await bench.runtime.records.diagnose(runId)).map(({ family }) => family);
  expect(families.includes('validator_retry_storm')).toBe(found === 'a');
});

test('finds nothing in an approved run, and a saturated queue in one that waits', async () => {
  const pay = { approval_mode: 'destructive', side_effect: true, gates: ['GATE'], produces: ['done'] } as const;
  const plan = planOf([{ id: 'a', tool: 'pay', requires: ['GATE'] }]);
  const bench = rig({ tools: { pay }, plans: [plan] });
  const { runId, pending } = await bench.invoke();
  const crowded = { capacity: { waitingMax: 0, ageMaxMs: 60_000 } };
  expect((await bench.runtime.records.diagnose(runId, crowded)).map(({ family }) => family)).toEqual([
    'queue_saturation',
  ]);
  const [gate] = pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
  await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
  expect(await bench.runtime.records.diagnose(runId, crowded)).toEqual([]);
});

test('the guide matches the table', () => {
  const guide = readFileSync(new URL('../../../docs/reference/pathologies.md', import.meta.url), 'utf8');
  for (const family of PATHOLOGY_FAMILIES) {
    const { indicator, containment } = PATHOLOGIES[family];
    expect(guide).toContain(`| \`${family}\` | ${indicator} | ${containment} |`);
  }
});
