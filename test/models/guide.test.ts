/** The guide about models says what the code does. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelProfile } from '../../src/compose.ts';
import { Fault, type FaultCode } from '../../src/model/fault.ts';
import { MODEL_OUTCOMES } from '../../src/model/model-call.ts';
import { ANSWER_LENGTH_MAX } from '../../src/ports/language-model.ts';
import { classify } from '../../src/roles/desk/classify.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/models.md', import.meta.url), 'utf8');

const rows = (heading: string): readonly (readonly string[])[] =>
  (GUIDE.split(`\n## ${heading}\n`)[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
    .slice(1)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    ) ?? [];

test('faults have the severity that the guide gives them', () => {
  const told = rows('When a model does not answer').map(([, fault = '', severity = '']) => [fault, severity]);
  expect(told).toHaveLength(7);
  for (const [fault, severity] of told) {
    const code = fault?.replaceAll('`', '') as FaultCode;
    expect([fault, `\`${classify(new Fault(code, 'x')).severity}\``]).toEqual([fault, severity]);
  }
});

test('what is left out is what the guide says', () => {
  const { timeoutMs, parameters, retry } = modelProfile(scriptedModel([]));
  const told = new Map(rows('Say how it is used').map(([option = '', , otherwise = '']) => [option, otherwise]));
  expect(told.get('`timeoutMs`')).toBe(`${timeoutMs / 1_000} seconds`);
  expect(told.get('`outputTokensMax`')).toBe(String(parameters.outputTokensMax));
  expect(told.get('`answers.structured`')).toBe(`\`${parameters.structured}\``);
  expect(retry).toEqual({ attempts: 4, baseMs: 500, jitter: 0.1, waitMsMax: 30_000 });
  expect(told.get('`retry`')).toBe('4 attempts, half a second, 0.1, 30 seconds');
  expect(ANSWER_LENGTH_MAX).toBe(2_000_000);
});

test('every way a request can come out is told', () => {
  const [outcomes = ''] = rows('What is recorded')
    .filter(([field = '']) => field.includes('outcome'))
    .map(([, text]) => text);
  for (const outcome of MODEL_OUTCOMES) expect(outcomes).toContain(`\`${outcome}\``);
});
