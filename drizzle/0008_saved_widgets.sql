CREATE TABLE `fonts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`sha256` blob NOT NULL,
	`bytes` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fonts_name` ON `fonts` (`user_id`,`name`);--> statement-breakpoint
CREATE TABLE `widget_revisions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`widget_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`options` text NOT NULL,
	`css` text NOT NULL,
	`width` integer,
	`height` integer,
	`saved_at` integer NOT NULL,
	`is_passing` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`widget_id`) REFERENCES `widgets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widget_revisions_widget` ON `widget_revisions` (`widget_id`,`revision`);--> statement-breakpoint
CREATE TABLE `widgets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`hash` blob NOT NULL,
	`sealed_token` blob NOT NULL,
	`language` text,
	`options` text DEFAULT '{}' NOT NULL,
	`css` text DEFAULT '' NOT NULL,
	`width` integer,
	`height` integer,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_hash` ON `widgets` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_name` ON `widgets` (`user_id`,`name`) WHERE "widgets"."removed_at" is null;--> statement-breakpoint
INSERT INTO `widgets` (`user_id`, `name`, `kind`, `hash`, `sealed_token`, `created_at`, `updated_at`) SELECT `user_id`, 'Main', 'overlay', `hash`, `sealed_token`, `created_at`, `created_at` FROM `widget_tokens` ORDER BY `user_id`;--> statement-breakpoint
INSERT INTO `widget_revisions` (`widget_id`, `revision`, `options`, `css`, `saved_at`) SELECT `id`, `revision`, `options`, `css`, `updated_at` FROM `widgets`;
