/** A billing agent with a scripted composer: two lookups, and an answer written sentence by sentence. */
import type { AnswerVerdict, ComposedSentence, RewrittenSentence } from '../../../src/model/evidence/answer.ts';
import type {
  AnswerJudge,
  AnswerJudgeRequest,
  ComposeRequest,
  Composer,
} from '../../../src/ports/model/model-roles.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export const ACCOUNT = { customer_id: 'cus_1', plan: 'Pro', renews_on: '2026-06-03', auto_renew: true };
export const INVOICE = { number: 'INV-7', total_cents: 4990, currency: 'EUR', paid_on: '2026-05-03' };

/** The evidence ids of the two lookups. */
export const ACCOUNT_REF = 'ev_1';
export const INVOICE_REF = 'ev_2';

/** A composer that returns its scripted answers in order. An error is thrown; an unscripted request fails the test. */
export interface ScriptedComposer extends Composer {
  readonly requests: readonly ComposeRequest[];
}

export function scriptedComposer(answers: readonly (readonly RewrittenSentence[] | Error)[]): ScriptedComposer {
  const requests: ComposeRequest[] = [];
  return {
    requests,
    cost: { input_tokens: 100, output_tokens: 50, microusd: 10 },
    compose: async (request) => {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined) throw new Error('an unscripted composition');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

/** A judge that returns its scripted verdicts in order. An error is thrown; an unscripted request fails the test. */
export interface ScriptedAnswerJudge extends AnswerJudge {
  readonly requests: readonly AnswerJudgeRequest[];
}

export function scriptedAnswerJudge(answers: readonly (readonly AnswerVerdict[] | Error)[]): ScriptedAnswerJudge {
  const requests: AnswerJudgeRequest[] = [];
  return {
    requests,
    cost: { input_tokens: 80, output_tokens: 40, microusd: 8 },
    judge: async (request) => {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined) throw new Error('an unscripted judgement');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

export const sentence = (
  text: string,
  ...cites: readonly (readonly [ref: string, pointer: string])[]
): ComposedSentence => ({
  text,
  cites: cites.map(([ref, pointer]) => ({ ref, pointer })),
});

const TOOLS: NonNullable<RigOptions['tools']> = {
  account: { trusted: true, execute: async () => ACCOUNT },
  invoice: { trusted: true, produces: ['done'], execute: async () => INVOICE },
};

const PLAN = planOf([
  { id: 'a', tool: 'account' },
  { id: 'b', tool: 'invoice', depends_on: ['a'] },
]);

/** The agent, with changes to its tools. */
export const billingRig = (composer: Composer | null, tools?: RigOptions['tools'], world?: RigOptions['world']): Rig =>
  rig(billingOptions(composer, tools, world));

export function billingOptions(
  composer: Composer | null,
  tools: NonNullable<RigOptions['tools']> = {},
  world: RigOptions['world'] = {},
): RigOptions {
  return {
    tools: {
      account: { ...TOOLS['account'], ...tools['account'] },
      invoice: { ...TOOLS['invoice'], ...tools['invoice'] },
    },
    plans: [PLAN],
    world: { composer, ...world },
  };
}

export const QUESTION = 'Which plan am I on, and what did I pay last month?';
