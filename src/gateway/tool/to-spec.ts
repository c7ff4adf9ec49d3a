import type { ApprovalMode } from '../../model/gate/approval-mode.ts';
import { defaultGates } from '../../model/gate/default-gates.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { type Idempotency, NO_COST, type ToolSpec } from '../../model/tool/tool.ts';
import type { AnyToolOptions } from './options.ts';

const TIMEOUT_MS = 30_000;
const RETRIES_MAX = 2;

export interface Schemas {
  readonly input: JsonObject;
  readonly output: JsonObject;
}

/** Builds the registry entry of a tool. Defaults are the strictest safe ones. */
export function toSpec(options: AnyToolOptions, mode: ApprovalMode, schemas: Schemas): ToolSpec {
  const { name, description, version = '1', effects = {}, limits = {}, risk = {}, rules = {} } = options;
  const sideEffect = effects.sideEffect ?? mode !== 'read_only';
  const idempotency = idempotencyOf(effects.idempotency, sideEffect);
  const category = risk.category ?? (mode === 'read_only' ? 'read_only_lookup' : 'live_api');
  return {
    name,
    version,
    description,
    approval_mode: mode,
    category,
    input_schema: schemas.input,
    output_schema: schemas.output,
    active: true,
    external: limits.external ?? (mode === 'network' || mode === 'delegated'),
    side_effect: sideEffect,
    trusted: risk.trusted ?? false,
    gates: risk.gates ?? defaultGates(mode, { category, rules: rules.category }),
    produces: effects.produces ?? [],
    needs: effects.needs ?? [],
    idempotency,
    timeout_ms: limits.timeoutMs ?? TIMEOUT_MS,
    retries_max: limits.retries ?? (idempotency.kind === 'none' ? 0 : RETRIES_MAX),
    cost: { ...NO_COST, ...risk.cost },
    ...withoutUndefined({
      argument_allow: rules.allow,
      equivalents: effects.equivalents,
      degraded: degradedOf(effects),
      limits: limitsOf(limits),
      hazards: hazardsOf(risk, rules),
      probes: probesOf(effects),
      unwrap: risk.unwrap,
      rules: rules.category,
      conditions: options.conditions,
      about: options.about,
      asserts: rules.asserts,
      privacy: rules.privacy,
      answers: presentOrUndefined({ say: options.say, complete: rules.complete }),
      examples: options.examples,
    }),
  };
}

function idempotencyOf(
  declared: NonNullable<AnyToolOptions['effects']>['idempotency'],
  sideEffect: boolean,
): Idempotency {
  if (declared === undefined) return { kind: sideEffect ? 'none' : 'natural' };
  return typeof declared === 'string' ? { kind: declared } : { kind: 'key', retention_ms: declared.retentionMs };
}

function limitsOf({
  rate,
  concurrency,
  payloadMaxBytes,
  equalCalls,
}: NonNullable<AnyToolOptions['limits']>): ToolSpec['limits'] {
  return presentOrUndefined({
    rate: rate === undefined ? undefined : { calls: rate.calls, per_ms: rate.perMs },
    concurrency,
    payload_max_bytes: payloadMaxBytes,
    equal_calls: equalCalls,
  });
}

function degradedOf({ degraded }: NonNullable<AnyToolOptions['effects']>): ToolSpec['degraded'] {
  return degraded === undefined
    ? undefined
    : withoutUndefined({ order: degraded.order, cached_for_ms: degraded.cachedForMs });
}

function hazardsOf(
  { blastRadius, rollback, sensitive, requestWords }: NonNullable<AnyToolOptions['risk']>,
  { action }: NonNullable<AnyToolOptions['rules']>,
): ToolSpec['hazards'] {
  return presentOrUndefined({ blast_radius: blastRadius, rollback, sensitive, action, request_words: requestWords });
}

function probesOf({ verify, reconcile, compensate }: NonNullable<AnyToolOptions['effects']>): ToolSpec['probes'] {
  return presentOrUndefined({
    verify: verify?.probe.spec.name,
    reconcile: reconcile?.probe.spec.name,
    compensate: compensate === undefined ? undefined : compensationTool(compensate).spec.name,
  });
}

type Undo = NonNullable<NonNullable<AnyToolOptions['effects']>['compensate']>;

/** The compensating tool, from either form of the option. */
export const compensationTool = (undo: Undo): Extract<Undo, { spec: unknown }> => ('spec' in undo ? undo : undo.tool);

type Stated<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops undefined fields: a registry is hashed, so a missing field and an undefined one must not differ. */
function withoutUndefined<T extends object>(fields: T): Stated<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Stated<T>;
}

function presentOrUndefined<T extends object>(fields: T): Stated<T> | undefined {
  const present = withoutUndefined(fields);
  return Object.keys(present).length === 0 ? undefined : present;
}
