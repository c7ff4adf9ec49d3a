import { Fault } from '../fault/fault.ts';
import type { ApprovalMode } from '../gate/approval-mode.ts';
import { defaultGates } from '../gate/default-gates.ts';
import { GATE_TOOL_APPROVAL } from '../gate/gate.ts';
import type { JsonObject } from '../json/json.ts';
import { parseNamed } from '../json/parse.ts';
import { type Idempotency, NO_COST, ToolSpec } from './tool.ts';

/** The user's statements about an imported tool. Missing fields get the strictest safe default. */
export type ToolLabel = Partial<Omit<ToolSpec, 'name' | 'version' | 'input_schema' | 'output_schema' | 'source'>>;

/** An imported tool as its source describes it. */
export interface ToolOffer {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly output_schema: JsonObject;
  readonly source: string;
}

/** Assumptions about an imported tool that has no label. */
export interface ToolAssumptions {
  readonly approval_mode: ApprovalMode;
  readonly side_effect: boolean;
  readonly external: boolean;
  readonly idempotency: Idempotency;
  /** The tool author requires approval in every mode. */
  readonly asks: boolean;
}

/** The assumptions about a tool without any declaration: destructive, external, not idempotent. */
export const UNDECLARED: ToolAssumptions = Object.freeze({
  approval_mode: 'destructive',
  side_effect: true,
  external: true,
  idempotency: Object.freeze({ kind: 'none' }),
  asks: false,
});

const TIMEOUT_MS = 60_000;
const RETRIES_MAX = 2;

/** Builds the registry entry of an imported tool. Its results are untrusted unless the label says otherwise. */
export function importedSpec(offer: ToolOffer, assumed: ToolAssumptions, label: ToolLabel = {}): ToolSpec {
  const mode = label.approval_mode ?? assumed.approval_mode;
  const isReadOnly = mode === 'read_only';
  const idempotency = label.idempotency ?? (isReadOnly ? ({ kind: 'natural' } as const) : assumed.idempotency);
  const category = label.category ?? (isReadOnly ? 'read_only_lookup' : 'live_api');
  const spec = {
    category,
    active: true,
    external: assumed.external,
    side_effect: !isReadOnly && assumed.side_effect,
    trusted: false,
    gates: assumed.asks ? [GATE_TOOL_APPROVAL] : defaultGates(mode, { category, rules: label.rules }),
    produces: [],
    needs: [],
    timeout_ms: TIMEOUT_MS,
    retries_max: idempotency.kind === 'none' ? 0 : RETRIES_MAX,
    cost: NO_COST,
    // The user vouches for the description they wrote, but not for the tool's own argument descriptions.
    ...(label.description === undefined ? {} : { vouched: 'description' as const }),
    ...label,
    ...offer,
    description: label.description ?? stripInvisible(offer.description),
    approval_mode: mode,
    idempotency,
  };
  return parseNamed(offer.name, ToolSpec, spec, 'input_invalid');
}

/** Rejects labels for unknown tools. Such a label is probably misspelt, and the intended tool would stay unlabelled. */
export function assertKnownLabels(
  source: string,
  labels: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  const stray = Object.keys(labels).filter((name) => !names.includes(name));
  if (stray.length === 0) return;
  const message = `${source} has no tool ${stray.join(', ')}; it has ${names.toSorted().join(', ') || 'none'}`;
  throw new Fault('input_invalid', message, { path: `/labels/${stray[0]}` });
}

const DESCRIPTION_LENGTH_MAX = 4_096;
/** Control, format, surrogate and unassigned characters, except tabs and line breaks. */
const INVISIBLE = /[^\P{C}\t\n\r]/gu;

/** Removes invisible characters from an imported description, so that people and planners see the same text. */
function stripInvisible(text: string): string {
  return text.slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed().replace(INVISIBLE, '');
}
