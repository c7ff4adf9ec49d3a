import type { Journal, SessionFilter } from '../ports/journal.ts';
import type { SessionRow } from '../ports/journal-rows.ts';

const PAGE = 500;

/**
 * Every session that a filter leaves, the one that was silent longest first, a page at a time. One that changes meanwhile
 * moves behind those that are still to come, so whatever is newer than all there were at first is not looked at.
 */
export async function* eachSession(
  journal: Pick<Journal, 'list'>,
  filter: Omit<SessionFilter, 'order' | 'after' | 'limit'>,
): AsyncGenerator<SessionRow, void, void> {
  const [newest] = await journal.list({ ...filter, order: 'newest', limit: 1 });
  if (newest === undefined) return;
  let place: Pick<SessionFilter, 'after'> = {};
  for (;;) {
    const rows = await journal.list({ ...filter, ...place, order: 'oldest', limit: PAGE });
    for (const row of rows) {
      if (row.updated_at > newest.updated_at) return;
      yield row;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    place = { after: last };
  }
}
