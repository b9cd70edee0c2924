-- What is pending at this moment, read by its own index. A push that is settled meanwhile is seen once more, and rested.
UPDATE "callback" c SET "newest_sequence" = greatest(c."newest_sequence", p.newest), "settled_sequence" = p.oldest - 1, "account_id" = t."account_id"
  FROM (SELECT "task_id", min("sequence") AS oldest, max("sequence") AS newest FROM "callback_push" WHERE "state" = 'pending' GROUP BY "task_id") p
  JOIN "task" t ON t."id" = p."task_id" WHERE c."task_id" = p."task_id";
