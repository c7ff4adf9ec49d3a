import { Fault } from '../../model/fault/fault.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import type { Problem } from '../../model/json/problem.ts';
import { isSealedHandle, placesIn, withPlaces } from '../../model/json/sealed.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { openValues, plainTexts, sealValues, type Vault } from '../../ports/store/vault.ts';

/** The vault, and the check of a tool's arguments against its schema once they are unsealed. */
export interface Sealing {
  readonly vault: Vault;
  readonly problems: (tool: string, args: JsonObject) => readonly Problem[];
}

export interface OpenedArguments {
  readonly args: JsonObject;
  /** The unsealed values, to be redacted if the tool repeats them. */
  readonly values: readonly string[];
}

/**
 * Unseals the arguments that the tool declares in `privacy.opens`. Handles in other arguments are passed on unchanged.
 * `handles` are those of the run: the tool may repeat their values too.
 */
export async function openArguments(
  sealing: Sealing | undefined,
  { name, privacy }: Pick<ToolSpec, 'name' | 'privacy'>,
  tenantId: string,
  args: JsonObject,
  handles: readonly string[],
): Promise<OpenedArguments> {
  const values = sealing === undefined ? [] : [...(await openValues(sealing.vault, tenantId, handles)).keys()];
  const places = placesIn(args, privacy?.opens ?? []).filter((place) => isSealedHandle(jsonAt(args, place)));
  if (places.length === 0) return { args, values };
  const { vault, problems } = requireSealing(sealing, name);
  const opened = new Map<string, Json>();
  for (const place of places) {
    opened.set(place, JSON.parse(await vault.open(tenantId, String(jsonAt(args, place)))) as Json);
  }
  const unsealed = withPlaces(args, opened) as JsonObject;
  const [wrong] = problems(name, unsealed);
  // A schema message may quote the value, so the fault names only its path.
  if (wrong !== undefined) throw new Fault('argument_invalid', `${name}: what is sealed at ${wrong.path} does not fit`);
  return { args: unsealed, values: [...values, ...[...opened.values()].flatMap(plainTexts)] };
}

/** Replaces the values that the tool declares in `privacy.seals`, and their repetitions, by vault handles. */
export async function sealAnswer(
  sealing: Sealing | undefined,
  { name, privacy }: Pick<ToolSpec, 'name' | 'privacy'>,
  tenantId: string,
  answer: Json,
): Promise<Json> {
  if (privacy?.seals === undefined) return answer;
  return (await sealValues(requireSealing(sealing, name).vault, tenantId, answer, privacy.seals)).document;
}

function requireSealing(sealing: Sealing | undefined, tool: string): Sealing {
  if (sealing !== undefined) return sealing;
  throw new Fault('input_missing', `${tool} seals what it handles and there is no vault: give one as world.vault`);
}
