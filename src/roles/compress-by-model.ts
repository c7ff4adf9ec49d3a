import { Fault } from '../model/fault.ts';
import type { ModelDesk, ModelProfile } from '../ports/language-model.ts';
import type { Compression, CompressionRequest } from '../ports/reviewer.ts';
import { everyName } from './plain-reviewer.ts';
import { compressPrompt } from './prompts/compress.ts';

/** Has a model say what is shown from here on. One pass: whoever asked holds the answer against what the run has. */
export async function compressByModel(
  profile: ModelProfile,
  request: CompressionRequest,
  desk: ModelDesk,
): Promise<Compression> {
  // Where nothing may go there is nothing to choose, and nothing that a model could get wrong.
  if (request.context.loose.length === 0) return { kept: everyName(request.context), dropped: [], digest: '' };
  const asked = await desk.ask(profile, compressPrompt(request));
  if (!asked.ok) throw asked.fault;
  // A stranger's value: it is parsed where it is used.
  if (asked.json !== undefined) return asked.json as unknown as Compression;
  throw new Fault('event_invalid', 'the compressor answered in prose');
}
