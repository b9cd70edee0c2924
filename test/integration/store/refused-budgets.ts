const use = (quota: number): string => `
  WITH budget AS (INSERT INTO agent_budget (key_id, name, used_quota) VALUES ('key_x', 'b', 1))
  INSERT INTO agent_budget_use (key_id, budget, creation, quota) VALUES ('key_x', 'b', 'c', ${quota})`;

/** What the database refuses about what agents may spend. */
export const refusedBudgets = [
  [
    'agent_budget_used_is_no_debt',
    'queued',
    `INSERT INTO agent_budget (key_id, name, used_quota) VALUES ('key_x', 'b', -1)`,
  ],
  ['agent_budget_use_quota_is_no_debt', 'queued', use(-1)],
] as const;
