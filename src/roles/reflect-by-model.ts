import { z } from 'zod';
import { NO_COST } from '../model/tool.ts';
import type { ModelDesk, ModelProfile } from '../ports/language-model.ts';
import type { Reflection, ReflectionRequest } from '../ports/reviewer.ts';
import { reflectPrompt } from './prompts/reflect.ts';

/** A note that nobody would read to the end helps nobody. */
const NOTE_LENGTH_MAX = 2_000;

const Answer = z.object({ cause: z.string(), advice: z.string() });

/**
 * Has a model look back, once. What it says reaches the planner as a note beside the reason, and nothing else comes of
 * it; where it says nothing that can be read, the reason stands for itself.
 */
export async function reflectByModel(
  profile: ModelProfile,
  request: ReflectionRequest,
  desk: ModelDesk,
): Promise<Reflection> {
  const asked = await desk.ask(profile, reflectPrompt(request));
  const { data } = Answer.safeParse(asked.ok ? asked.json : undefined);
  const said = data === undefined ? '' : [data.cause, data.advice].filter((part) => part.trim() !== '').join(' ');
  return { note: (said === '' ? request.reason.message : said).slice(0, NOTE_LENGTH_MAX), spent: NO_COST };
}
