-- AlterTable
ALTER TABLE "task" ADD COLUMN     "traceparent" TEXT;
