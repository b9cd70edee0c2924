// Makes a video with the client that oapi-codegen generated.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"example.test/generated/gateway"
)

func main() {
	if err := makeVideo(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func makeVideo(ctx context.Context) error {
	authorized := gateway.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("authorization", "Bearer "+os.Getenv("GATEWAY_KEY"))
		return nil
	})
	client, err := gateway.NewClientWithResponses(os.Getenv("GATEWAY_URL"), authorized)
	if err != nil {
		return err
	}
	prompt, duration, resolution := "a red balloon", 5, "480p"
	created, err := client.CreateVideoWithResponse(ctx, nil, gateway.VideoRequest{
		Model: "sandbox-video", Prompt: &prompt, Duration: &duration, Resolution: &resolution,
	})
	if err != nil {
		return err
	}
	if created.JSON200 == nil {
		return fmt.Errorf("not created: %s", created.Body)
	}
	video := *created.JSON200
	for {
		value, err := video.ValueByDiscriminator()
		if err != nil {
			return err
		}
		var id string
		switch task := value.(type) {
		case gateway.QueuedVideo:
			id = task.Id
		case gateway.RunningVideo:
			id = task.Id
		case gateway.SucceededVideo:
			return download(task)
		default:
			return fmt.Errorf("ended as %T", task)
		}
		time.Sleep(200 * time.Millisecond)
		read, err := client.GetVideoWithResponse(ctx, id, nil)
		if err != nil {
			return err
		}
		if read.JSON200 == nil {
			return fmt.Errorf("not read: %s", read.Body)
		}
		video = *read.JSON200
	}
}

func download(task gateway.SucceededVideo) error {
	if task.PortalBilling.BilledQuota != 300 {
		return fmt.Errorf("billed %d", task.PortalBilling.BilledQuota)
	}
	response, err := http.Get(task.Content.VideoUrl)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	file, err := io.ReadAll(response.Body)
	if err != nil || len(file) < 8 || string(file[4:8]) != "ftyp" {
		return fmt.Errorf("no video: %d bytes, %v", len(file), err)
	}
	return nil
}
