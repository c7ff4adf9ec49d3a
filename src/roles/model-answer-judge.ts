import { z } from 'zod';
import { AnswerVerdict } from '../model/evidence/answer.ts';
import { Fault } from '../model/fault/fault.ts';
import type { ModelClient, ModelProfile } from '../ports/model/language-model.ts';
import type { AnswerJudge, AnswerJudgeRequest } from '../ports/model/model-roles.ts';
import { maxCost } from './client/spending.ts';
import { type ModelProfiles, type ModelRoleOptions, modelRole } from './model-profile.ts';
import { openConversation } from './plan-conversation.ts';
import { JUDGE_ANSWER_TEMPLATE, judgeAnswerPrompt } from './prompts/judge-answer.ts';

/** The facts are truncated to this size. */
const INPUT_TOKENS = 16_000;

const Verdicts = z.object({ verdicts: z.array(AnswerVerdict).max(100) });

/**
 * Creates a judge that asks a model about the sentences of an answer that are not provable. It sees the sentences, the
 * request and the facts that they cite, without hidden parts and texts of outsiders.
 */
export function modelAnswerJudgeWith(profiles: ModelProfiles): (options: ModelRoleOptions) => AnswerJudge {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelAnswerJudge', options);
    const template = `${JUDGE_ANSWER_TEMPLATE.name}@${JUDGE_ANSWER_TEMPLATE.version}`;
    return {
      cost: maxCost(profile, INPUT_TOKENS),
      uses: [{ role: 'judge', profile, templates: [template] }],
      judge: (request, _signal, client) => judge(profile, request, client),
      ...time,
    };
  };
}

async function judge(
  profile: ModelProfile,
  request: AnswerJudgeRequest,
  client: ModelClient,
): Promise<readonly AnswerVerdict[]> {
  const { schema, ...opening } = judgeAnswerPrompt(request);
  const asked = await openConversation(client, profile, { ...opening, schemas: [schema] }).ask();
  if (!asked.ok) throw asked.fault;
  const read = Verdicts.safeParse(asked.json);
  if (!read.success) throw new Fault('argument_invalid', 'the model gave no verdicts that could be read');
  return read.data.verdicts;
}
