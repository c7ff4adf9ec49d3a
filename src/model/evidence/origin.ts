import { z } from 'zod';
import { type ApprovalMode, runsInline } from '../gate/approval-mode.ts';
import { exact, exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import { Name, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';
import type { ToolSpec } from '../tool/tool.ts';

/** The sources of values that no tool returned. A tool cannot have one of these names. */
export const SOURCE_HOST = 'ambit:host';
export const SOURCE_MODEL = 'ambit:model';
export const SOURCE_REQUEST = 'ambit:request';
export const SOURCE_DEFAULT = 'ambit:default';
/** An input with third-party content, such as a document or another person's answer. */
export const SOURCE_INPUT = 'ambit:input';

/** The places of a plan that hold inputs: by step, and by JSON Pointer into its params, the name of the input. */
export type FilledSlots = Readonly<Record<string, Readonly<Record<string, string>>>>;
export const FilledSlots: z.ZodType<FilledSlots> = exact(z.record(Name, z.record(Pointer, Text)));

/** The requester's implied approval of a call they asked for exactly. It opens the mode gate and no other. */
export interface RequestGrant {
  readonly by: string;
  /** Address of the literal request: the statement, the inputs and the answers. */
  readonly request: Address;
  /** By JSON Pointer into the arguments, the place in the request that states the value, or its trusted source. */
  readonly leaves: Readonly<Record<string, string>>;
  /** By context key, the trusted source of each input of the call; absent if it has none. */
  readonly inputs?: Readonly<Record<string, string>>;
}
export const RequestGrant: z.ZodType<RequestGrant> = exactObject({
  by: Name,
  request: ContentAddress,
  leaves: z.record(Pointer, Text),
  inputs: z.record(Name, Name).exactOptional(),
});

/** The origin of a call: whether untrusted text influenced its choice, and which arguments are untrusted. */
export interface CallOrigin {
  /** A model chose the call after reading untrusted text. */
  readonly tainted: boolean;
  /** The untrusted source of each argument, by JSON Pointer. */
  readonly untrusted: Readonly<Record<string, string>>;
  readonly grant: RequestGrant | null;
}

/** The origin without anything untrusted. Most calls share this object, so that checking it is cheap. */
export const CLEAN: CallOrigin = Object.freeze({ tainted: false, untrusted: Object.freeze({}), grant: null });

/** True if any argument comes from an untrusted source. */
export const isUntrusted = ({ untrusted }: CallOrigin): boolean =>
  untrusted !== CLEAN.untrusted && Object.keys(untrusted).length > 0;

/** The gate for a call that needs approval only because of its provenance; it would run inline otherwise. */
export const PROVENANCE_GATE = 'GATE_PROVENANCE_APPROVAL';

/**
 * Returns the first untrusted argument that overlaps a sensitive one, or null. If a tool declares its sensitive
 * arguments, they count in every mode. If it does not, all arguments are sensitive in a mode that does not run inline.
 */
export function untrustedReach(
  { hazards }: Pick<ToolSpec, 'hazards'>,
  mode: ApprovalMode,
  origin: CallOrigin,
): string | null {
  if (!isUntrusted(origin)) return null;
  const pointers = Object.keys(origin.untrusted);
  const sensitive = hazards?.sensitive;
  if (sensitive === undefined) return runsInline(mode) ? null : (pointers[0] ?? null);
  return pointers.find((pointer) => sensitive.some((guarded) => overlap(pointer, guarded))) ?? null;
}

/** True if one pointer contains the other, or both are equal. */
const overlap = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

/**
 * True if a call needs approval because of its origin: a tainted model chose a call that is not read-only, or an
 * untrusted value reaches a sensitive argument.
 */
export function needsProvenanceGate(spec: Pick<ToolSpec, 'hazards'>, mode: ApprovalMode, origin: CallOrigin): boolean {
  if (origin === CLEAN) return false;
  return (origin.tainted && mode !== 'read_only') || untrustedReach(spec, mode, origin) !== null;
}

/** The modes in which the request itself can be the approval. `destructive` is never among them. */
export const isGrantable = (mode: ApprovalMode): boolean => mode === 'network' || mode === 'delegated';
