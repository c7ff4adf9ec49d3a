import { z } from 'zod';
import { type ApprovalMode, runsInline } from './approval-mode.ts';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import { Name, Text } from './name.ts';
import { Pointer } from './pointer.ts';
import type { ToolSpec } from './tool.ts';

/** Where a value stands from that no tool returned. None of these is a name that a tool may bear. */
export const SOURCE_HOST = 'ambit:host';
export const SOURCE_MODEL = 'ambit:model';
export const SOURCE_REQUEST = 'ambit:request';
export const SOURCE_DEFAULT = 'ambit:default';
/** What the caller handed over in which others speak, be it a document or an answer that somebody else gave. */
export const SOURCE_INPUT = 'ambit:input';

/** Which places of a plan hold what was given: per step, and per JSON Pointer into its params, the name of the input. */
export type FilledSlots = Readonly<Record<string, Readonly<Record<string, string>>>>;
export const FilledSlots: z.ZodType<FilledSlots> = z.record(Name, z.record(Pointer, Text));

/**
 * The requester's own approval of one call: whoever asked for exactly this has said yes to it by asking. It stands for
 * the gate that a mode alone asks for, and for no other.
 */
export interface RequestGrant {
  readonly by: string;
  /** Address of what was asked for, word for word: the statement, the inputs and the answers. */
  readonly request: Address;
  /** Per JSON Pointer into the arguments, where it is stated in the request, or the trusted source it comes from. */
  readonly leaves: Readonly<Record<string, string>>;
}
export const RequestGrant: z.ZodType<RequestGrant> = z.strictObject({
  by: Name,
  request: ContentAddress,
  leaves: z.record(Pointer, Text),
});

/** Where a call comes from: who chose it, and which of its arguments somebody outside could have written. */
export interface CallOrigin {
  /** A model chose the call after it had untrusted text before it. */
  readonly tainted: boolean;
  /** Per JSON Pointer into the arguments, the untrusted source of what stands there. */
  readonly untrusted: Readonly<Record<string, string>>;
  readonly grant: RequestGrant | null;
}

/** Nothing untrusted anywhere. Most calls share this one, so that looking for more costs nothing. */
export const CLEAN: CallOrigin = Object.freeze({ tainted: false, untrusted: Object.freeze({}), grant: null });

/** Whether anything in the arguments comes from a source that is not trusted. */
export const isUntrusted = ({ untrusted }: CallOrigin): boolean =>
  untrusted !== CLEAN.untrusted && Object.keys(untrusted).length > 0;

/** The gate before an effect that only its provenance puts in question: the call would run inline otherwise. */
export const PROVENANCE_GATE = 'GATE_PROVENANCE_APPROVAL';

/**
 * The first argument in which an untrusted value reaches something sensitive. Where a tool says which of its arguments
 * are sensitive, those are, whatever its mode; where it says nothing, all of them are as soon as the call leaves the
 * run's own workspace.
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

/** One holds the other, or they are the same place. */
const overlap = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

/** Whether a person has to see this call for what it is made of: something changes, and an outsider may have had a hand in it. */
export function demandsGate(spec: Pick<ToolSpec, 'hazards'>, mode: ApprovalMode, origin: CallOrigin): boolean {
  if (origin === CLEAN) return false;
  return (origin.tainted && mode !== 'read_only') || untrustedReach(spec, mode, origin) !== null;
}

/** The modes in which the requester's own word is enough. What destroys is never among them. */
export const isGrantable = (mode: ApprovalMode): boolean => mode === 'network' || mode === 'delegated';
