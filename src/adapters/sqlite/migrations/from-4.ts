import type { DatabaseSync } from 'node:sqlite';

/**
 * Format 5 knows what a gate is about and when a session began, and keeps who could not permit anything in advance. What
 * gates of before were about stands in their packets alone.
 */
export function from4(db: DatabaseSync): void {
  db.exec(`
alter table gates add column action text not null default '';
create index gates_by_action on gates (tenant_id, name, action, status, opened_at);
alter table sessions add column started_at integer not null default 0;
update sessions set started_at = ifnull((select at from frames where frames.row = sessions.sid), updated_at);
create table refused_grants (tenant_id text not null, refused_json text not null) strict;
create index refused_grants_by_tenant on refused_grants (tenant_id);
`);
}
