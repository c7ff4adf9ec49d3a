/** Compares the critic's guide with the evaluators and rubrics that ship. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { standardEvaluators } from '../../src/critic/evaluators/standard-evaluators.ts';
import { rubricFor, rubricWith } from '../../src/critic/judges/judge-specs.ts';
import type { JudgeSpec } from '../../src/model/critic/judge.ts';
import { RISK_CLASSES } from '../../src/model/policy/risk.ts';
import { NO_COST } from '../../src/model/tool/tool.ts';

const guide = readFileSync(new URL('../../docs/how-to/critic.md', import.meta.url), 'utf8');

const READER: JudgeSpec = {
  name: 'reader',
  version: '1',
  criteria: { quality: 'It is good.' },
  applies: { tools: 'all', run: true, risk_min: 'low' },
  cost: NO_COST,
  safer_cost: null,
};

test('lists every evaluator with its subject and the score it feeds', () => {
  const shown = guide.matchAll(/^\| `(?<id>[a-z]+@\d+)` \| (?<judges>[a-z, ]+) \| (?<feeds>[a-z]+) \|/gm);
  const { step, run } = standardEvaluators([], rubricWith('low', [{ spec: READER }]).rubric);
  const shipped = [...new Set([...step.keys(), ...run.keys()])].map((id) => ({
    id,
    judges: [step.has(id) ? ['step'] : [], run.has(id) ? ['run'] : []].flat().join(', '),
    feeds: step.get(id)?.feeds ?? run.get(id)?.feeds ?? id.split('@')[0],
  }));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(Array.from(shown, ({ groups }) => ({ id: '', ...groups })).sort(byId)).toEqual(shipped.sort(byId));
});

test('lists every risk class with its rubric and thresholds', () => {
  const shown = guide.matchAll(
    /^\| (?<risk>[a-z]+) \| `(?<name>[a-z]+)@(?<version>\d+)` \| (?<numbers>[0-9. |]+) \|$/gm,
  );
  expect(Array.from(shown, ({ groups }) => ({ ...groups }))).toEqual(
    RISK_CLASSES.map((risk) => {
      const { name, version, accept, confidence, evaluators } = rubricFor(risk);
      return { risk, name, version, numbers: `${accept} | ${confidence} | ${evaluators.length}` };
    }),
  );
});

test('lists every risk class with its number of judges and their allowed spread', () => {
  const shown = guide.matchAll(/^\| (?<risk>[a-z]+) \| (?<quorum>half|six in ten|all) \| (?<spread>[0-9.]+) \|$/gm);
  const shares = new Map([
    ['half', 0.5],
    ['six in ten', 0.6],
    ['all', 1],
  ]);
  const listed = Array.from(shown, ({ groups }) => [
    groups?.['risk'],
    shares.get(groups?.['quorum'] ?? ''),
    Number(groups?.['spread']),
  ]);
  expect(listed).toEqual(
    RISK_CLASSES.map((risk) => {
      const { judges } = rubricWith(risk, [{ spec: READER }]).rubric;
      return [risk, judges?.quorum, judges?.spread];
    }),
  );
});
