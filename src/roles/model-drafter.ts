import type { Drafts } from '../model/draft.ts';
import { Fault } from '../model/fault.ts';
import { isJsonObject, type Json } from '../model/json.ts';
import { own } from '../model/own.ts';
import type { Problem } from '../model/problem.ts';
import type { CheckDrafts, Drafter, DraftRequest } from '../ports/drafter.ts';
import type { ModelDesk, ModelProfile } from '../ports/language-model.ts';
import { openConversation } from './conversation.ts';
import { mostFor } from './desk/spending.ts';
import type { ModelProfiles } from './model-profile.ts';
import { type ModelRoleOptions, modelRole } from './model-role.ts';
import { DRAFT_TEMPLATE, draftName, draftPrompt } from './prompts/draft.ts';
import { feedback } from './prompts/feedback.ts';
import { plainValue } from './schema/plain-value.ts';

/** What something is written from is cut to fit into this; each correction takes it once more. */
const INPUT_TOKENS = 16_000;
const CORRECTIONS = 2;
const QUOTED_MAX = 4_000;

/** Has a model write what plans leave open. It is shown what the draft names, and its answer is checked by the tool's schema. */
export function modelDrafterWith(profiles: ModelProfiles): (options: ModelRoleOptions) => Drafter {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelDrafter', options);
    const once = mostFor(profile, INPUT_TOKENS);
    return {
      cost: { ...once, output_tokens: 2 * once.output_tokens, microusd: 2 * once.microusd },
      uses: [{ role: 'executor', profile, templates: [`${DRAFT_TEMPLATE.name}@${DRAFT_TEMPLATE.version}`] }],
      draft: (request, _signal, desk, check) => draft(profile, request, desk, check),
      ...time,
    };
  };
}

async function draft(
  profile: ModelProfile,
  request: DraftRequest,
  desk: ModelDesk,
  check: CheckDrafts,
): Promise<Drafts> {
  const { schema, ...opening } = draftPrompt(request);
  const conversation = openConversation(desk, profile, { ...opening, schemas: [schema] });
  let drafts: Drafts | null = null;
  for (let correction = 0; correction <= CORRECTIONS; correction += 1) {
    const asked = await conversation.ask();
    // Nothing more may be asked: what was written last is passed on, wrong as it is.
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

/** A value for every place, in the words of the tool's own schema; null where one is missing. */
function readDrafts({ tool, places }: DraftRequest, said: Json | undefined): Drafts | null {
  if (!isJsonObject(said)) return null;
  const written: [string, Json][] = [];
  for (const [at, { pointer, schema }] of places.entries()) {
    const value = own(said, draftName(at));
    if (value === undefined) return null;
    written.push([pointer, plainValue(value, schema, tool.input_schema)]);
  }
  return Object.fromEntries(written);
}
