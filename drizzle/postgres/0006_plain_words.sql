ALTER TABLE "connection_health" RENAME TO "connection_statuses";--> statement-breakpoint
ALTER TABLE "connection_statuses" RENAME COLUMN "because" TO "reason";--> statement-breakpoint
ALTER TABLE "connection_statuses" RENAME COLUMN "heard_at" TO "first_report_at";--> statement-breakpoint
ALTER TABLE "one_time_links" RENAME TO "magic_links";--> statement-breakpoint
ALTER INDEX "one_time_links_user" RENAME TO "magic_links_user";--> statement-breakpoint
ALTER TABLE "heard_songs" RENAME TO "songs";--> statement-breakpoint
ALTER INDEX "heard_songs_user" RENAME TO "songs_user";--> statement-breakpoint
ALTER TABLE "histories" RENAME COLUMN "hears_streams" TO "follows_streams";--> statement-breakpoint
ALTER TABLE "pictures" RENAME TO "covers";--> statement-breakpoint
ALTER TABLE "covers" RENAME COLUMN "picture" TO "bytes";--> statement-breakpoint
ALTER INDEX "pictures_of_user" RENAME TO "covers_of_user";--> statement-breakpoint
ALTER INDEX "pictures_by_age" RENAME TO "covers_by_age";
