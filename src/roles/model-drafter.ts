import { Fault } from '../model/fault/fault.ts';
import { isJsonObject, type Json, own } from '../model/json/json.ts';
import type { Problem } from '../model/json/problem.ts';
import type { Drafts } from '../model/plan/plan.ts';
import type { ModelClient, ModelProfile } from '../ports/model/language-model.ts';
import type { CheckDrafts, Drafter, DraftRequest } from '../ports/model/model-roles.ts';
import { maxCorrectedCost } from './client/spending.ts';
import { type ModelProfiles, type ModelRoleOptions, modelRole } from './model-profile.ts';
import { openConversation } from './plan-conversation.ts';
import { feedback } from './prompts/common.ts';
import { DRAFT_TEMPLATE, draftName, draftPrompt } from './prompts/draft.ts';
import { fromPortableValue } from './schema/portable.ts';

/** The source material is truncated to this size; each correction takes it once more. */
const INPUT_TOKENS = 16_000;
const CORRECTIONS = 2;
const QUOTED_MAX = 4_000;

/**
 * Creates a drafter that writes the open arguments of a plan with a model. The model sees only the material that the
 * draft names, and the tool's schema checks its answer.
 */
export function modelDrafterWith(profiles: ModelProfiles): (options: ModelRoleOptions) => Drafter {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelDrafter', options);
    return {
      cost: maxCorrectedCost(profile, INPUT_TOKENS),
      uses: [{ role: 'executor', profile, templates: [`${DRAFT_TEMPLATE.name}@${DRAFT_TEMPLATE.version}`] }],
      draft: (request, _signal, client, check) => draft(profile, request, client, check),
      ...time,
    };
  };
}

async function draft(
  profile: ModelProfile,
  request: DraftRequest,
  client: ModelClient,
  check: CheckDrafts,
): Promise<Drafts> {
  const { schema, ...opening } = draftPrompt(request);
  const conversation = openConversation(client, profile, { ...opening, schemas: [schema] });
  let drafts: Drafts | null = null;
  for (let correction = 0; correction <= CORRECTIONS; correction += 1) {
    const asked = await conversation.ask();
    // No further question is possible, so the last draft is passed on uncorrected.
    if (!asked.ok && drafts !== null) break;
    if (!asked.ok) throw asked.fault;
    const written = readDrafts(request, asked.json);
    drafts = written ?? drafts;
    const problems = written === null ? NOT_ALL : check(written);
    if (problems.length === 0) break;
    const quoted = asked.text.slice(0, QUOTED_MAX).toWellFormed().trim() || '(nothing)';
    conversation.add({ author: 'assistant', text: quoted }, { author: 'user', text: feedback(problems) });
  }
  if (drafts === null) throw new Fault('argument_invalid', 'the model wrote no value that could be read');
  return drafts;
}

const NOT_ALL: readonly Problem[] = Object.freeze([
  {
    code: 'argument_invalid',
    path: '',
    message: 'it is no JSON object with a value under each name that was asked for',
  } as const,
]);

/** One value per place, converted back to the tool's own schema; null if one is missing. */
function readDrafts({ tool, places }: DraftRequest, answer: Json | undefined): Drafts | null {
  if (!isJsonObject(answer)) return null;
  const written: [string, Json][] = [];
  for (const [at, { pointer, schema }] of places.entries()) {
    const value = own(answer, draftName(at));
    if (value === undefined) return null;
    written.push([pointer, fromPortableValue(value, schema, tool.input_schema)]);
  }
  return Object.fromEntries(written);
}
