import { own } from '../../model/own.ts';
import type { LiveApiRules } from '../../model/rules/live-api.ts';
import { isFree, textAt } from '../../model/rules/operation.ts';
import type { ReadOnlyLookupRules } from '../../model/rules/read-only-lookup.ts';
import type { VectorRetrievalRules } from '../../model/rules/vector-retrieval.ts';
import { type CategoryCheck, denied, FREE, gated, incomplete, outside } from './finding.ts';

/** Approved sources are free, sensitive ones are for a person to see, and there are no others. */
export const readOnlyLookupCheck: CategoryCheck<ReadOnlyLookupRules> = ({ source, scope }, { args }) => {
  const named = textAt(args, source.at);
  if (named === null) return incomplete(`the call names no source at ${source.at}`);
  const astray = scope === undefined ? null : outside('scope', scope, args);
  if (astray !== null) return astray;
  if (source.approved.includes(named)) return FREE;
  if (source.sensitive?.includes(named) === true) return gated('the source is sensitive', { source: named });
  return denied(`${named} is no approved source; there is ${source.approved.join(', ')}`);
};

/** Only the corpora of the tenant for which the run works. */
export const vectorRetrievalCheck: CategoryCheck<VectorRetrievalRules> = ({ corpus, corpora }, { args, run }) => {
  const named = textAt(args, corpus);
  if (named === null) return incomplete(`the call names no corpus at ${corpus}`);
  const permitted = own(corpora, run.tenantId) ?? [];
  return permitted.includes(named) ? FREE : denied(`${named} is no corpus of ${run.tenantId}`);
};

export const liveApiCheck: CategoryCheck<LiveApiRules> = ({ operation }, { args }) =>
  isFree(operation, args) ? FREE : gated('it changes state behind the interface');
