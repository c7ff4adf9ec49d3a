import type { CedarValueJson, Context, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject } from '../../model/json.ts';
import type {
  CallRequest,
  GateRequest,
  PolicyPrincipal,
  PolicyRequest,
  PolicyTool,
} from '../../model/policy-request.ts';
import { type CedarValues, cedarValues } from './values.ts';

/** A request as Cedar reads it. */
export interface CedarRequest {
  readonly principal: TypeAndId;
  readonly action: TypeAndId;
  readonly resource: TypeAndId;
  readonly context: Context;
  readonly entities: EntityJson[];
}

export function cedarRequest(request: PolicyRequest): CedarRequest {
  return request.action === 'call_tool' ? callRequest(request) : gateRequest(request);
}

function callRequest({ principal, resource, context }: CallRequest): CedarRequest {
  const args = tables('arguments', cedarValues(context.arguments));
  const known = cedarValues(context.evidence as JsonObject);
  const evidence = tables('evidence', known);
  const agent = uid('Agent', principal.agent);
  const tool = uid('Tool', resource.name);
  return {
    principal: agent,
    action: uid('Action', 'call_tool'),
    resource: tool,
    context: {
      ...(context.profile === null ? {} : { profile: context.profile }),
      environment: context.environment,
      risk: context.risk,
      arguments: args.record,
      pending: [...context.pending],
      untrusted: [...context.untrusted],
      planned_after_untrusted: context.planned_after_untrusted,
      evidence: evidence.record,
      conditions: conditionsIn(known),
      remaining: ref(uid('Longs', 'remaining')),
      approvals: [...context.approvals],
    },
    entities: [
      ...identity(principal),
      {
        uid: agent,
        attrs: { name: principal.agent, user: ref(uid('User', principal.user)), tenant: ref(tenantOf(principal)) },
        parents: [tenantOf(principal)],
      },
      { uid: tool, attrs: toolAttributes(resource), parents: [uid('Category', resource.category)] },
      { uid: uid('Longs', 'remaining'), attrs: {}, parents: [], tags: wholeAmounts(context.remaining) },
      ...args.entities,
      ...evidence.entities,
    ],
  };
}

function gateRequest({ principal, resource, context }: GateRequest): CedarRequest {
  const gate = uid('Gate', resource.name);
  const requester = uid('User', resource.requester);
  const attrs = { name: resource.name, kind: resource.kind, requester: ref(requester) };
  const user = uid('User', principal.user);
  const known = resource.requester === principal.user ? [] : [bareUser(resource.requester)];
  return {
    principal: user,
    action: uid('Action', 'decide_gate'),
    resource: gate,
    context: { environment: context.environment, risk: context.risk },
    entities: [...identity(principal), ...known, { uid: gate, attrs, parents: [] }],
  };
}

const uid = (type: string, id: string): TypeAndId => ({ type: `Ambit::${type}`, id });
const ref = (entity: TypeAndId): CedarValueJson => ({ __entity: entity });
const tenantOf = ({ tenant }: PolicyPrincipal): TypeAndId => uid('Tenant', tenant);

function identity(principal: PolicyPrincipal): EntityJson[] {
  const { user, roles } = principal;
  const parents = [...new Set(roles)].map((role) => uid('Role', role));
  return [
    { uid: uid('User', user), attrs: { name: user, roles: [...roles] }, parents: [...parents, tenantOf(principal)] },
  ];
}

const bareUser = (user: string): EntityJson => ({
  uid: uid('User', user),
  attrs: { name: user, roles: [] },
  parents: [],
});

function toolAttributes({ action, blast_radius, rollback, ...tool }: PolicyTool): EntityJson['attrs'] {
  return {
    ...tool,
    ...(action === null ? {} : { action }),
    ...(blast_radius === null ? {} : { blast_radius }),
    ...(rollback === null ? {} : { rollback }),
  };
}

/** Budgets count in whole units; half of one is none left. */
function wholeAmounts(remaining: Readonly<Record<string, number>>): Record<string, number> {
  const whole = Object.entries(remaining).map(([name, amount]) => [name, Math.floor(amount)] as const);
  return Object.fromEntries(whole.filter(([, amount]) => Number.isSafeInteger(amount)));
}

interface Tables {
  readonly record: CedarValueJson;
  readonly entities: EntityJson[];
}

/** Dynamic keys are tags in Cedar, and tags belong to an entity: one for each type of value. */
function tables(id: string, values: CedarValues): Tables {
  const decimals = Object.entries(values.decimal).map(([path, arg]) => [path, { __extn: { fn: 'decimal', arg } }]);
  const lists = Object.entries(values.list).map(([path, items]) => [path, [...items]]);
  const table = (type: string, tags: Record<string, CedarValueJson>): EntityJson => ({
    uid: uid(type, id),
    attrs: {},
    parents: [],
    tags,
  });
  return {
    record: {
      text: ref(uid('Texts', id)),
      long: ref(uid('Longs', id)),
      decimal: ref(uid('Decimals', id)),
      flag: ref(uid('Flags', id)),
      list: ref(uid('Lists', id)),
      unrepresented: [...values.unrepresented],
    },
    entities: [
      table('Texts', { ...values.text }),
      table('Longs', { ...values.long }),
      table('Decimals', Object.fromEntries(decimals)),
      table('Flags', { ...values.flag }),
      table('Lists', Object.fromEntries(lists)),
    ],
  };
}

/** A tool that found something says so with a field that is true, whatever the type of its evidence. */
function conditionsIn({ flag }: CedarValues): string[] {
  const names = Object.entries(flag).flatMap(([path, holds]) => (holds ? [path.slice(path.lastIndexOf('/') + 1)] : []));
  return [...new Set(names)];
}
