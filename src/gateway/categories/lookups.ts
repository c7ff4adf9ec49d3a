import { isJsonList, own } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import type {
  InfrastructureRules,
  LiveApiRules,
  ReadOnlyLookupRules,
  ReviewQueueRules,
  VectorRetrievalRules,
} from '../../model/tool/rules/lookups.ts';
import { hasContent, isFree, textAt } from '../../model/tool/rules/operation.ts';
import type { SandboxCodeRules } from '../../model/tool/rules/sandbox-code.ts';
import { type CategoryCheck, denied, FREE, firstFinding, gated, incomplete, refuseUnlessAllowed } from './finding.ts';

/** Permits approved sources, requires approval for sensitive ones and refuses all others. */
export const readOnlyLookupCheck: CategoryCheck<ReadOnlyLookupRules> = ({ source, scope }, { args }) => {
  const named = textAt(args, source.at);
  if (named === null) return incomplete(`the call names no source at ${source.at}`);
  const refused = scope === undefined ? null : refuseUnlessAllowed('scope', scope, args);
  if (refused !== null) return refused;
  if (source.approved.includes(named)) return FREE;
  if (source.sensitive?.includes(named) === true) return gated('the source is sensitive', { source: named });
  return denied(`${named} is no approved source; there is ${source.approved.join(', ')}`);
};

/** Permits only the corpora of the run's tenant. */
export const vectorRetrievalCheck: CategoryCheck<VectorRetrievalRules> = ({ corpus, corpora }, { args, run }) => {
  const named = textAt(args, corpus);
  if (named === null) return incomplete(`the call names no corpus at ${corpus}`);
  const permitted = own(corpora, run.tenantId) ?? [];
  return permitted.includes(named) ? FREE : denied(`${named} is no corpus of ${run.tenantId}`);
};

export const liveApiCheck: CategoryCheck<LiveApiRules> = ({ operation }, { args }) =>
  isFree(operation, args) ? FREE : gated('it changes state behind the interface');

/** A request for human review needs no approval. It has to state a reason, a queue, a severity and its evidence. */
export const reviewQueueCheck: CategoryCheck<ReviewQueueRules> = (rules, { args }) =>
  firstFinding(
    () => (textAt(args, rules.reason) === null ? incomplete(`there is no reason at ${rules.reason}`) : null),
    () => refuseUnlessAllowed('queue', rules.queue, args),
    () => refuseUnlessAllowed('severity', rules.severity, args),
    () =>
      hasContent(jsonAt(args, rules.evidence))
        ? null
        : incomplete(`there is no evidence packet at ${rules.evidence}`, 'packet_incomplete'),
  ) ?? FREE;

/**
 * Permits code with recorded inputs and limits. Code that may change files needs approval unless `mutation: 'free'`.
 */
export const sandboxCodeCheck: CategoryCheck<SandboxCodeRules> = (rules, { args }) => {
  if (textAt(args, rules.code) === null) return incomplete(`the call holds no code at ${rules.code}`);
  const missing = [rules.inputs, rules.limits].find((pointer) => jsonAt(args, pointer) === undefined);
  if (missing !== undefined) return incomplete(`the call says nothing at ${missing}`);
  const files = rules.files === undefined ? undefined : jsonAt(args, rules.files);
  if (!hasContent(files) || files === false || rules.mutation === 'free') return FREE;
  const shown = files !== undefined && isJsonList(files) ? files : [files ?? null];
  return gated('the code may change files', { files: shown });
};

/** Permits diagnosis. A change needs approval, and is refused if its blast radius or rollback path is missing. */
export const infrastructureCheck: CategoryCheck<InfrastructureRules> = (rules, { args, spec }) => {
  if (isFree(rules.operation, args)) return FREE;
  const refused = refuseUnlessAllowed('target', rules.target, args);
  if (refused !== null) return refused;
  // The declaration of the tool wins, so that a caller cannot understate the risk.
  const declaredOrArgument = (pointer: string | undefined, declared: string | undefined): string | null =>
    declared ?? (pointer === undefined ? null : textAt(args, pointer));
  const blast_radius = declaredOrArgument(rules.blast_radius, spec.hazards?.blast_radius);
  const rollback_path = declaredOrArgument(rules.rollback, spec.hazards?.rollback);
  if (blast_radius === null) return incomplete('the call does not say how far it reaches', 'packet_incomplete');
  if (rollback_path === null) return incomplete('the call does not say how it is taken back', 'packet_incomplete');
  return gated('it changes running systems', { target: textAt(args, rules.target.at), blast_radius, rollback_path });
};
