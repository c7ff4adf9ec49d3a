/** Proves that a memory proposal cites the effects of the step that observed it last, under any plan. */
import { expect, test } from 'vitest';
import { doneSteps } from '../../kernel/query/plan/steps.ts';
import { type Assoc, assocPut } from '../../kernel/state/assoc.ts';
import type { CarriedStep, RunState, StepProgress } from '../../kernel/state/run-state.ts';
import { type Vec, vecEmpty, vecPush } from '../../kernel/state/vec.ts';
import { memorable } from './write-memory.ts';

const vecOf = <T>(items: readonly T[]): Vec<T> => items.reduce<Vec<T>>((vec, item) => vecPush(vec, item), vecEmpty);

const fact = (evidenceId: string): NonNullable<StepProgress['fact']> =>
  ({ evidenceId, value: {} }) as unknown as NonNullable<StepProgress['fact']>;

interface Case {
  /** Evidence by step, from earlier plans, in the order of commit. */
  readonly carried: readonly (readonly [string, string])[];
  /** The steps of the plan in force; null for a step that is not done. */
  readonly here: readonly (readonly [string, string | null])[];
  readonly types: Readonly<Record<string, string>>;
  readonly evidence: readonly string[];
}

function stateOf({ carried, here, types, evidence }: Case): RunState {
  let steps: Assoc<CarriedStep> = null;
  let origins: Assoc<string> = null;
  for (const [id, evidenceId] of carried) {
    steps = assocPut(steps, id, { step: { id, tool: 'look' }, fact: fact(evidenceId), score: null });
    origins = assocPut(origins, evidenceId, id);
  }
  const ids = [...new Set([...carried, ...here].map(([id]) => id))];
  const progress = here.map(([, done]) =>
    done === null
      ? { status: 'pending', attempts: 0, fact: null }
      : { status: 'committed', attempts: 1, fact: fact(done) },
  );
  return {
    id: { runId: 'run_1' },
    now: 5,
    planning: { active: { plan: { steps: here.map(([id]) => ({ id, tool: 'look' })) } } },
    work: {
      carried: { steps, origins, fillers: null },
      progress: vecOf(progress),
      effects: vecOf(ids.map((stepId) => ({ stepId, callId: `call_${stepId}` }))),
      evidence: vecOf(evidence),
      evidenceByType: types,
      scores: vecEmpty,
      scoresCarried: 0,
    },
  } as unknown as RunState;
}

const CASES: readonly (readonly [string, Case, Readonly<Record<string, readonly string[]>>])[] = [
  [
    'of the plan in force',
    {
      carried: [],
      here: [
        ['a', 'ev_1'],
        ['b', null],
      ],
      types: { order: 'ev_1' },
      evidence: ['ev_1'],
    },
    { order: ['call_a'] },
  ],
  [
    'of an earlier plan',
    { carried: [['a', 'ev_1']], here: [['b', 'ev_2']], types: { x: 'ev_1', y: 'ev_2' }, evidence: ['ev_1', 'ev_2'] },
    { x: ['call_a'], y: ['call_b'] },
  ],
  [
    'that was carried over and is done in the plan in force',
    { carried: [['a', 'ev_1']], here: [['a', 'ev_1']], types: { x: 'ev_1' }, evidence: ['ev_1'] },
    { x: ['call_a'] },
  ],
  [
    'that was repeated under its id, and none for its older result',
    { carried: [['a', 'ev_1']], here: [['a', 'ev_2']], types: { x: 'ev_1', y: 'ev_2' }, evidence: ['ev_1', 'ev_2'] },
    { x: [], y: ['call_a'] },
  ],
  [
    'that earlier plans did twice under its id',
    {
      carried: [
        ['a', 'ev_1'],
        ['a', 'ev_2'],
      ],
      here: [],
      types: { x: 'ev_1', y: 'ev_2' },
      evidence: ['ev_1', 'ev_2'],
    },
    { x: [], y: ['call_a'] },
  ],
];

test.each(CASES)('cites the effects of a step %s', (_, input, expected) => {
  const state = stateOf(input);
  const { observed } = memorable(state);
  expect(Object.fromEntries(observed.map(({ type, effects }) => [type, effects]))).toEqual(expected);
  const behind = new Map(doneSteps(state).map(({ step, fact: { evidenceId } }) => [evidenceId, `call_${step.id}`]));
  for (const { evidence, effects } of observed) expect(effects).toEqual([behind.get(evidence)].filter(Boolean));
});

test('leaves out evidence that the run received and did not observe', () => {
  const input = { carried: [], here: [['a', 'ev_1']], types: { x: 'item_1', b: 'ev_1' }, evidence: ['ev_1'] } as const;
  expect(memorable(stateOf(input)).observed.map(({ type }) => type)).toEqual(['b']);
});
