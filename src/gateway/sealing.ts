import { canonicalize } from '../model/canonical.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { jsonAt } from '../model/json-at.ts';
import type { Problem } from '../model/problem.ts';
import { isSealed, placesIn, withPlaces } from '../model/sealed.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { Vault } from '../ports/vault.ts';
import { sealPlaces } from '../ports/vault-rules/seal-places.ts';

/** Where sealed values are kept, and what a tool's own schema says of its arguments once they are open. */
export interface Sealing {
  readonly vault: Vault;
  readonly problems: (tool: string, args: JsonObject) => readonly Problem[];
}

export interface Opened {
  readonly args: JsonObject;
  /** What was opened, to be struck out wherever the tool repeats it. */
  readonly values: readonly string[];
}

/** The arguments as the tool needs them. Only what it declares is opened; elsewhere a handle is handed on as it is. */
export async function openArguments(
  sealing: Sealing | undefined,
  { name, privacy }: Pick<ToolSpec, 'name' | 'privacy'>,
  tenantId: string,
  args: JsonObject,
): Promise<Opened> {
  const places = placesIn(args, privacy?.opens ?? []).filter((place) => isSealed(jsonAt(args, place)));
  if (places.length === 0) return { args, values: [] };
  const { vault, problems } = needed(sealing, name);
  const opened = new Map<string, Json>();
  for (const place of places) {
    opened.set(place, JSON.parse(await vault.open(tenantId, String(jsonAt(args, place)))) as Json);
  }
  const whole = withPlaces(args, opened) as JsonObject;
  const [wrong] = problems(name, whole);
  // The message of a schema may quote the value, so only the place is named.
  if (wrong !== undefined) throw new Fault('argument_invalid', `${name}: what is sealed at ${wrong.path} does not fit`);
  const values = [...opened.values()].map((value) => (typeof value === 'string' ? value : canonicalize(value)));
  return { args: whole, values };
}

/** What a tool brought back, with a handle in place of everything that it declares to be sealed. */
export async function sealAnswer(
  sealing: Sealing | undefined,
  { name, privacy }: Pick<ToolSpec, 'name' | 'privacy'>,
  tenantId: string,
  answer: Json,
): Promise<Json> {
  if (privacy?.seals === undefined) return answer;
  return await sealPlaces(needed(sealing, name).vault, tenantId, answer, privacy.seals);
}

function needed(sealing: Sealing | undefined, tool: string): Sealing {
  if (sealing !== undefined) return sealing;
  throw new Fault('input_missing', `${tool} seals what it handles and there is no vault: give one as world.vault`);
}
