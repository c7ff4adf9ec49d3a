import type { CedarValueJson, Context, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { GateRequest, PolicyPrincipal, PolicyTool } from '../../model/policy/policy-request.ts';
import { plainRecord, type ReadCall, type ReadParts, type ReadRequest } from './read-parts.ts';
import type { CedarValues } from './values.ts';

export interface CedarRequest {
  readonly principal: TypeAndId;
  readonly action: TypeAndId;
  readonly resource: TypeAndId;
  readonly context: Context;
  readonly entities: EntityJson[];
}

export function cedarRequest(looked: ReadRequest, seen: ReadParts): CedarRequest {
  return looked.action === 'call_tool' ? callRequest(looked, seen) : gateRequest(looked);
}

function callRequest(
  { principal, resource, plain, args, evidence, remaining }: ReadCall,
  seen: ReadParts,
): CedarRequest {
  const [argsTables, evidenceTables] = [tables('arguments', args, seen), tables('evidence', evidence, seen)];
  const agent = uid('Agent', principal.agent);
  const tool = uid('Tool', resource.name);
  return {
    principal: agent,
    action: uid('Action', 'call_tool'),
    resource: tool,
    context: { ...plainRecord(plain), arguments: argsTables.record, evidence: evidenceTables.record },
    entities: [
      ...identity(principal),
      {
        uid: agent,
        attrs: { name: principal.agent, user: ref(uid('User', principal.user)), tenant: ref(tenantOf(principal)) },
        parents: [tenantOf(principal)],
      },
      { uid: tool, attrs: toolAttributes(resource), parents: [uid('Category', resource.category)] },
      ...tagged('Longs', 'remaining', remaining),
      ...argsTables.entities,
      ...evidenceTables.entities,
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

interface Tables {
  readonly record: Record<string, CedarValueJson>;
  readonly entities: readonly EntityJson[];
}

/** For a document that no policy reads. */
const NO_TABLES: Tables = Object.freeze({ record: {}, entities: [] });

/** Converts a document to Cedar. Dynamic keys are tags of an entity, with one entity per value type. */
function tables(id: 'arguments' | 'evidence', values: CedarValues | null, seen: ReadParts): Tables {
  if (values === null) return NO_TABLES;
  const record: Record<string, CedarValueJson> = {};
  const entities: EntityJson[] = [];
  for (const table of seen.tables(id).tables) {
    if (table === 'unrepresented' || table === 'present' || table === 'blank') record[table] = [...values[table]];
    else {
      record[table] = ref(uid(TAG_TYPES[table], id));
      entities.push(...tagged(TAG_TYPES[table], id, tagsOf(table, values)));
    }
  }
  return { record, entities };
}

const TAG_TYPES = { text: 'Texts', long: 'Longs', decimal: 'Decimals', flag: 'Flags', list: 'Lists' } as const;

function tagsOf(table: keyof typeof TAG_TYPES, values: CedarValues): Readonly<Record<string, CedarValueJson>> {
  if (table === 'list') return mapped(values.list, (items) => [...items]);
  if (table === 'decimal') return mapped(values.decimal, (arg) => ({ __extn: { fn: 'decimal', arg } }));
  return values[table];
}

const mapped = <T>(
  tags: Readonly<Record<string, T>>,
  to: (value: T) => CedarValueJson,
): Readonly<Record<string, CedarValueJson>> =>
  Object.fromEntries(Object.entries(tags).map(([path, value]) => [path, to(value)]));

/** Without tags, the entity is left out: Cedar treats a missing entity as one without tags. */
function tagged(type: string, id: string, tags: Readonly<Record<string, CedarValueJson>>): readonly EntityJson[] {
  return Object.keys(tags).length === 0 ? [] : [{ uid: uid(type, id), attrs: {}, parents: [], tags: { ...tags } }];
}
