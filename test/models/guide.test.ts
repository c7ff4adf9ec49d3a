/** Compares the guide on models with the code. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelProfile } from '../../src/compose.ts';
import { readPlan } from '../../src/kernel/verify/read-plan.ts';
import { MODEL_OUTCOMES } from '../../src/model/budget/model-call.ts';
import { KEPT_CLASSES } from '../../src/model/evidence/compression.ts';
import { Fault, type FaultCode } from '../../src/model/fault/fault.ts';
import { ANSWER_LENGTH_MAX, type ModelPrompt } from '../../src/ports/model/language-model.ts';
import { classify, requestTimeMs } from '../../src/roles/client/retry.ts';
import { classifyPrompt } from '../../src/roles/prompts/classify.ts';
import { compressPrompt } from '../../src/roles/prompts/compress.ts';
import { draftName } from '../../src/roles/prompts/draft.ts';
import { judgePrompt } from '../../src/roles/prompts/judge.ts';
import { selectPrompt } from '../../src/roles/prompts/planning.ts';
import { reflectPrompt } from '../../src/roles/prompts/reflect.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

const GUIDE = readFileSync(new URL('../../docs/how-to/models.md', import.meta.url), 'utf8');

const GOAL = { statement: 'How many mugs?', acceptance_criteria: [], intent: 'stock' };
const RUN = { kind: 'run', done: [], answer: null } as const;
const LOOK = {
  trigger: 'tool_failure',
  reason: { code: 'error', step_id: null, message: 'x', detail: {} },
  plan: null,
  done: [],
} as const;
const CROWDED = { kept: Object.fromEntries(KEPT_CLASSES.map((name) => [name, {}])), loose: [], demoted: [] };

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

test('lists the severity of each fault', () => {
  const documented = rows('Failures').map(([, fault = '', severity = '']) => [fault, severity]);
  expect(documented).toHaveLength(7);
  for (const [fault, severity] of documented) {
    const code = fault?.replaceAll('`', '') as FaultCode;
    expect([fault, `\`${classify(new Fault(code, 'x')).severity}\``]).toEqual([fault, severity]);
  }
});

test('lists the defaults of a profile', () => {
  const profile = modelProfile(scriptedModel([]));
  const { parameters, retry } = profile;
  const documented = new Map(rows('Profiles').map(([option = '', , otherwise = '']) => [option, otherwise]));
  expect(documented.get('`requestTimeoutMs`')).toBe(`${requestTimeMs(profile) / 1_000} seconds`);
  expect(documented.get('`outputTokensMax`')).toBe(`${parameters.outputTokensMax}, or 4096 without reasoning`);
  expect(documented.get('`answers.structured`')).toBe(`\`${parameters.structured}\``);
  expect(retry).toEqual({ attempts: 4, baseMs: 500, jitter: 0.1, waitMsMax: 30_000 });
  expect(documented.get('`retry`')).toBe('4 attempts, half a second, 0.1, 30 seconds');
  expect(ANSWER_LENGTH_MAX).toBe(2_000_000);
});

test('shows scripted answers that fit the schema of each part', () => {
  const documented = rows('Scripted answers').map(
    ([part = '', answer = '']) => [part, /^`(\{.*\})`/.exec(answer)?.[1]] as const,
  );
  const asked: Readonly<Record<string, ModelPrompt>> = {
    '`classifier` of `planFirst`': selectPrompt({
      tools: [],
      context: { items: [] },
      goal: GOAL,
      inputs: {},
      reason: null,
    } as never),
    '`modelClassifier`': classifyPrompt({ goal: GOAL as never, readings: [] }),
    '`modelJudge`': judgePrompt({ goal: GOAL as never, criteria: [], work: RUN, safer: false }),
    '`modelReviewer`, looking back': reflectPrompt({ ...LOOK, goal: GOAL as never }),
    '`modelReviewer`, compressing': compressPrompt({ context: CROWDED as never, texts: new Map(), tokens: 1 }),
  };
  const answers = new Map(documented);
  for (const [part, { schema }] of Object.entries(asked)) {
    const answer = JSON.parse(answers.get(part) ?? '{}');
    expect(schema?.json, part).toMatchObject({ required: expect.arrayContaining(Object.keys(answer)) });
    expect(schema?.json['required'], part).toHaveLength(Object.keys(answer).length);
  }
  const plan = JSON.parse(answers.get('`planFirst`') ?? '{}');
  expect(readPlan({ plan_id: 'plan_1', intent: 'stock', ...plan })).toMatchObject({ plan: { steps: [{ id: 's1' }] } });
  expect(JSON.parse(answers.get('`modelDrafter`') ?? '{}')).toHaveProperty(draftName(0));
});

test('lists every outcome of a request', () => {
  const outcomes = GUIDE.split('\n## Recorded calls\n')[1]?.split('\n## ')[0] ?? '';
  for (const outcome of MODEL_OUTCOMES) expect(outcomes).toContain(`\`${outcome}\``);
});
