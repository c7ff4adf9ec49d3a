/** The mode by which a session is listed: none if it is pruned, because pruned sessions match no mode. */
export const LISTED_MODE: string = 'iif(last_row = 0, null, mode)';

/**
 * The indexes of listings, added in format 9. A step changes `updated_at`, so sessions in progress are in no index by time:
 * each of their steps would write to its pages. A session enters these indexes when it stops or ends.
 */
export const SESSION_INDEXES: string = `create index sessions_in_progress on sessions (status, tenant_id) where status = 'in_progress';
create index sessions_by_mode on sessions (${LISTED_MODE}, status, updated_at, session_id) where status <> 'in_progress';
create index sessions_by_tenant on sessions (tenant_id, ${LISTED_MODE}, status, updated_at, session_id) where status <> 'in_progress';
create index sessions_by_agent on sessions (agent, ${LISTED_MODE}, status, updated_at, session_id) where status <> 'in_progress';
create index sessions_by_thread on sessions (thread, tenant_id, sid) where thread is not null;
create index threads_by_time on sessions (updated_at) where thread is not null and status <> 'in_progress';
create index threads_by_tenant on sessions (tenant_id, updated_at) where thread is not null and status <> 'in_progress';
create index threads_by_user on sessions (tenant_id, thread_user, updated_at)
  where thread is not null and status <> 'in_progress';
`;

export const GATE_INDEXES: string = `create index gates_by_status on gates (status, opened_at, gate_id);
create index gates_by_tenant on gates (tenant_id, status, opened_at, gate_id);
create index gates_by_packet on gates (packet_hash);
`;

export const GRANT_INDEXES: string = `create index grant_uses_by_session on grant_uses (session_id);
`;
