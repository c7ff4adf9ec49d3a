import { z } from 'zod';
import { type ActiveContext, KEPT_CLASSES, type KeptClass } from '../model/evidence/compression.ts';
import { Fault } from '../model/fault/fault.ts';
import { NO_COST } from '../model/tool/tool.ts';
import type { ModelClient, ModelProfile, ModelPrompt } from '../ports/model/language-model.ts';
import type {
  Compression,
  CompressionRequest,
  Reflection,
  ReflectionRequest,
  Reviewer,
} from '../ports/model/model-roles.ts';
import { maxCost } from './client/spending.ts';
import { type ModelProfiles, type ModelRoleOptions, modelRole } from './model-profile.ts';
import { COMPRESS_TEMPLATE, compressPrompt } from './prompts/compress.ts';
import { REFLECT_TEMPLATE, reflectPrompt } from './prompts/reflect.ts';

/** Asks a model once which entries of the context to keep. The caller checks the answer against the run. */
export async function compressByModel(
  profile: ModelProfile,
  request: CompressionRequest,
  client: ModelClient,
): Promise<Compression> {
  // Nothing is droppable, so there is nothing to ask.
  if (request.context.loose.length === 0) return { kept: keptNames(request.context), dropped: [], digest: '' };
  const asked = await client.ask(profile, compressPrompt(request));
  if (!asked.ok) throw asked.fault;
  // Untrusted: the caller parses it.
  if (asked.json !== undefined) return asked.json as unknown as Compression;
  throw new Fault('event_invalid', 'the compressor answered in prose');
}

const NOTE_LENGTH_MAX = 2_000;

const Answer = z.object({ cause: z.string(), advice: z.string() });

/**
 * Asks a model once why something failed. The answer is a note for the planner and has no other effect; without a
 * readable answer the note is the failure message.
 */
async function reflectByModel(
  profile: ModelProfile,
  request: ReflectionRequest,
  client: ModelClient,
): Promise<Reflection> {
  const asked = await client.ask(profile, reflectPrompt(request));
  const { data } = Answer.safeParse(asked.ok ? asked.json : undefined);
  const advice = data === undefined ? '' : [data.cause, data.advice].filter((part) => part.trim() !== '').join(' ');
  return { note: (advice === '' ? request.reason.message : advice).slice(0, NOTE_LENGTH_MAX), spent: NO_COST };
}

/** Sized for compression, the larger of the two questions. */
const INPUT_TOKENS = 50_000;

/** Creates a reviewer that uses a model to reflect on failures and to compress a large context. */
export function modelReviewerWith(profiles: ModelProfiles): (options: ModelRoleOptions) => Reviewer {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelReviewer', options);
    return {
      uses: [
        { role: 'reflector', profile, templates: [idOf(REFLECT_TEMPLATE)] },
        { role: 'compressor', profile, templates: [idOf(COMPRESS_TEMPLATE)] },
      ],
      cost: maxCost(profile, INPUT_TOKENS),
      reflect: (request, _signal, client) => reflectByModel(profile, request, client),
      compress: (request, _signal, client) => compressByModel(profile, request, client),
      ...time,
    };
  };
}

const idOf = ({ name, version }: ModelPrompt['template']): string => `${name}@${version}`;

/**
 * The reviewer without a model. It reports the failure message as the note. From a context it drops only the material
 * that every compression drops: a run that still exceeds its limit halts instead of losing something that it needs.
 */
export const plainReviewer: Reviewer = Object.freeze<Reviewer>({
  reflect: async ({ reason }) => ({ note: reason.message, spent: NO_COST }),
  compress: async ({ context }) => ({ kept: keptNames(context), dropped: [], digest: '' }),
});

/** The names of all entries to keep, by class. */
export function keptNames({ kept }: ActiveContext): Readonly<Record<KeptClass, readonly string[]>> {
  const names = KEPT_CLASSES.map((name) => [name, Object.keys(kept[name])] as const);
  return Object.fromEntries(names) as unknown as Record<KeptClass, readonly string[]>;
}
